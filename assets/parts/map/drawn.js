/** What a map draws. */

/**
 * @typedef {object} Drawn
 * @property {string} name  what the numbers are, for who cannot see them
 * @property {string} unit  beside the legend
 * @property {import("../../trace/words.js").Numbers} numbers  NaN where there is none
 * @property {string} [none]  what is said of NaN; by default, that there is no number
 * @property {number} [most]  what the fullest colour stands for; by default the largest number
 * @property {[heading: string, labels: string[]][]} rows  each column of labels beside the rows
 * @property {boolean} [named]  the rows are no tokens, but readings: their names are never cut
 * @property {string} heading  of the columns
 * @property {string[]} columns
 * @property {(value: number) => string} text  a number as people read it
 * @property {number[][]} [steps]  the decoder's steps that each row stands for, from 0
 * @property {boolean} [read]  each column is a token that the decoder reads
 * @property {{heading: Node, cells: Node[]}} [beside]  what stands beside each row
 * @property {(row: number, column: number) => boolean} [marked]  with a dot
 */

export {};
