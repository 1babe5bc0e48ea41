/**
 * What a person can ask of what is shown, in the order in which it stands in the tabs.
 *
 * This room holds one folder a question: what it declares, its view, its style sheet. A new one is a folder
 * and its line here; the tabs, the state's first value and the address are built from the list.
 */

import { ANATOMY } from "./anatomy/question.js";
import { BERTVIZ } from "./bertviz/question.js";
import { COMPARE } from "./compare/question.js";
import { DECODER_LENS } from "./decoder_lens/question.js";
import { HEADS } from "./heads/question.js";
import { INDUCTION } from "./induction/question.js";
import { LEARNT } from "./learnt/question.js";
import { LENS } from "./lens/question.js";
import { PATCHING } from "./patching/question.js";
import { RESIDUAL } from "./residual/question.js";
import { ROLLOUT } from "./rollout/question.js";
import { TRAINING } from "./training/question.js";
import { WHY } from "./why/question.js";
import { WORKED_OUT } from "./worked_out/question.js";

/** @type {import("../parts/question.js").Question[]} */
export const QUESTIONS = [
  WORKED_OUT,
  BERTVIZ,
  WHY,
  LEARNT,
  ANATOMY,
  HEADS,
  INDUCTION,
  PATCHING,
  LENS,
  DECODER_LENS,
  RESIDUAL,
  ROLLOUT,
  TRAINING,
  COMPARE,
];
