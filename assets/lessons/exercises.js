/**
 * The exercises: what a person is to bring about on the page, whatever the sentence; their texts are under
 * `exercise.`. Where a head is to be found, the page begins on no single one, so that the choice is a person's
 * own; where one is to be switched off, on one, as the key X takes it.
 */

import { JUDGES } from "./judges.js";
import { isDecoderAlone, TRANSLATING, WRITING } from "./stop.js";

const CROSS = "tab=attention&kind=cross&cross=";

/** @type {(import("./stop.js").Stop & {judge: import("./judges.js").ExerciseJudge})[]} */
export const EXERCISES = [
  { name: "aligns", judge: JUDGES.aligns, guests: TRANSLATING, address: `${CROSS}mean` },
  {
    ...{ name: "looks_back", judge: JUDGES.looks_back },
    address: "tab=attention&kind=encoder_self&encoder_self=mean&decoder_self=mean",
  },
  {
    ...{ name: "rests", judge: JUDGES.rests },
    address: "tab=attention&kind=cross&encoder_self=mean&decoder_self=mean&cross=mean",
  },
  {
    ...{ name: "padding", judge: JUDGES.padding, guests: WRITING },
    address: "tab=attention&kind=decoder_self&decoder_self=representative",
  },
  { name: "nothing", judge: JUDGES.nothing, guests: WRITING, address: `${CROSS}representative` },
  { name: "breaks", judge: JUDGES.breaks, guests: WRITING, address: `${CROSS}mean` },
  {
    ...{ name: "one_row", judge: JUDGES.one_row, guests: TRANSLATING },
    address: `${CROSS}representative`,
  },
  {
    ...{ name: "branch", judge: JUDGES.branch, guests: WRITING },
    address: `${CROSS}representative&step=1`,
  },
  {
    ...{ name: "guessed", judge: JUDGES.guessed, guests: ["encoder"] },
    needs: ({ guest }) => Boolean(guest?.masks),
    address: "tab=attention&kind=encoder_self&encoder_self=representative",
  },
  {
    ...{ name: "induction", judge: JUDGES.induction, guests: ["decoder"] },
    // Of ours one that is known by such a head; what a guest's heads do nobody knows before.
    needs: (trace) =>
      isDecoderAlone(trace) &&
      (Boolean(trace.guest) || trace.heads?.decoder_self?.role === "induction"),
    address: "tab=attention&kind=decoder_self&decoder_self=mean",
  },
];
