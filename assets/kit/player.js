/** A button that plays something on, step after step, and pauses it. */

import { h } from "./dom.js";
import { icon } from "./icons.js";

/**
 * @param {{play: string, pause: string, key?: string}} names
 * @param {() => number} begin  the first step; milliseconds between two, 0 if there is nothing to play
 * @param {() => boolean} next  the next one; false: that was the last
 */
export function player({ play, pause, key }, begin, next) {
  let timer = 0;
  const button = h("button", { class: "bare play", click: toggle });
  function show() {
    const name = timer ? pause : play;
    button.replaceChildren(icon(timer ? "pause" : "play"));
    button.ariaLabel = name;
    button.title = key ? `${name} (${key})` : name;
  }
  function stop() {
    clearInterval(timer);
    timer = 0;
    show();
  }
  function start() {
    const pace = begin();
    clearInterval(timer);
    if (!pace) return;
    timer = window.setInterval(() => next() || stop(), pace);
    show();
  }
  function toggle() {
    if (timer) stop();
    else start();
  }
  show();
  return { button, start, stop, toggle };
}
