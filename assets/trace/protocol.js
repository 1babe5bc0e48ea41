/**
 * The protocol as the page and its engine read it: what a request holds, who answers it, what an
 * analysis needs and costs. Written by `python scripts/protocol.py`, as protocol.json is, which has
 * the answers, too.
 */

/**
 * @typedef {{type: string, least?: number, most?: number | null, of?: Option, values?: any[],
 *   absent?: any[], fields?: Record<string, Option>}} Option
 * @typedef {{by: string[], repeatable: boolean, owner: boolean, analysis: boolean,
 *   fields: Record<string, Option>}} Declared  a kind of request
 * @typedef {{by: string[], needs: string[], cost: string,
 *   options: Record<string, Option>}} Analysis
 * @typedef {{kinds: string[], roles: Record<string, string[]>,
 *   thresholds: {clear: number, fewest: Record<string, number>}, limits: Record<string, number>,
 *   sizes: string[], needs: Record<string, string>, requests: Record<string, Declared>,
 *   analyses: Record<string, Analysis>}} Protocol
 */

/** @type {Protocol} */
export const PROTOCOL = {
kinds: ["encoder_self", "decoder_self", "cross"],
roles: {
encoder_self: ["itself", "previous", "next", "first", "end", "punctuation"],
decoder_self: ["itself", "previous", "induction", "first", "punctuation"],
cross: ["first", "end", "punctuation", "written", "read"],
},
thresholds: {
clear: 0.2,
fewest: { induction: 4 },
},
limits: {
characters: 2000,
prefix: 2000,
trace: 16000000,
name: 60,
passes_times_tokens: 30000,
},
sizes: ["src", "tgt", "read", "longest", "decoder_layers", "layers", "heads", "most_heads"],
needs: {
cross: "no_encoder",
steps: "not_offered",
states: "not_offered",
gradients: "not_offered",
training_text: "no_training_text",
},
requests: {
page: { by: ["server", "advance"], repeatable: true, owner: false, analysis: false, fields: {} },
card: { by: ["server", "advance"], repeatable: true, owner: false, analysis: false, fields: { model: { type: "text", most: null } } },
history: { by: ["server", "advance"], repeatable: true, owner: false, analysis: false, fields: { model: { type: "text", most: null }, pair: { type: "whole_number", least: 0, most: 2147483647 } } },
ready: { by: ["engine"], repeatable: true, owner: false, analysis: false, fields: { model: { type: "text", most: null } } },
trace: { by: ["server", "engine", "advance"], repeatable: true, owner: false, analysis: false, fields: { model: { type: "text", most: null }, source: { type: "source", most: 2000 }, taught: { type: "correction", fields: { target: { type: "source", most: 2000 }, source: { type: "perhaps", of: { type: "source", most: 2000 } }, how: { type: "perhaps", of: { type: "text", most: 30 } } } }, prefix: { type: "list", of: { type: "whole_number", least: 0, most: 2147483647 }, least: 0, most: 2000, absent: [] }, interventions: { type: "list", of: { type: "text", most: null }, least: 0, most: 500, absent: [] }, sampling: { type: "sampling" }, guest: { type: "guest", fields: { hidden: { type: "list", of: { type: "whole_number", least: 0, most: 2147483647 }, least: 0, most: 2000, absent: [] }, target_language: { type: "perhaps", of: { type: "text", most: 60 } }, chat: { type: "perhaps", of: { type: "one_of", values: [true] } }, second: { type: "perhaps", of: { type: "source", most: 20000 } } } }, heads: { type: "list", of: { type: "text", most: 60 }, least: 0, most: 300, absent: [] } } },
weights: { by: ["server"], repeatable: true, owner: false, analysis: false, fields: { model: { type: "text", most: null }, source: { type: "source", most: 2000 }, taught: { type: "correction", fields: { target: { type: "source", most: 2000 }, source: { type: "perhaps", of: { type: "source", most: 2000 } }, how: { type: "perhaps", of: { type: "text", most: 30 } } } }, prefix: { type: "list", of: { type: "whole_number", least: 0, most: 2147483647 }, least: 0, most: 2000, absent: [] }, interventions: { type: "list", of: { type: "text", most: null }, least: 0, most: 500, absent: [] }, sampling: { type: "sampling" }, guest: { type: "guest", fields: { hidden: { type: "list", of: { type: "whole_number", least: 0, most: 2147483647 }, least: 0, most: 2000, absent: [] }, target_language: { type: "perhaps", of: { type: "text", most: 60 } }, chat: { type: "perhaps", of: { type: "one_of", values: [true] } }, second: { type: "perhaps", of: { type: "source", most: 20000 } } } }, heads: { type: "list", of: { type: "text", most: 60 }, least: 0, most: 300, absent: [] } } },
inside: { by: ["server", "engine", "advance"], repeatable: true, owner: false, analysis: true, fields: { model: { type: "text", most: null }, source: { type: "source", most: 2000 }, taught: { type: "correction", fields: { target: { type: "source", most: 2000 }, source: { type: "perhaps", of: { type: "source", most: 2000 } }, how: { type: "perhaps", of: { type: "text", most: 30 } } } }, prefix: { type: "list", of: { type: "whole_number", least: 0, most: 2147483647 }, least: 0, most: 2000, absent: [] }, interventions: { type: "list", of: { type: "text", most: null }, least: 0, most: 500, absent: [] }, sampling: { type: "sampling" }, guest: { type: "guest", fields: { hidden: { type: "list", of: { type: "whole_number", least: 0, most: 2147483647 }, least: 0, most: 2000, absent: [] }, target_language: { type: "perhaps", of: { type: "text", most: 60 } }, chat: { type: "perhaps", of: { type: "one_of", values: [true] } }, second: { type: "perhaps", of: { type: "source", most: 20000 } } } }, name: { type: "text", most: null } } },
worked_out: { by: ["server", "engine"], repeatable: true, owner: false, analysis: false, fields: { model: { type: "text", most: null }, source: { type: "source", most: 2000 }, taught: { type: "correction", fields: { target: { type: "source", most: 2000 }, source: { type: "perhaps", of: { type: "source", most: 2000 } }, how: { type: "perhaps", of: { type: "text", most: 30 } } } }, target: { type: "list", of: { type: "whole_number", least: 0, most: 2147483647 }, least: 1, most: 2000, absent: [] }, kind: { type: "one_of", values: ["encoder_self", "decoder_self", "cross"] }, layer: { type: "whole_number", least: 0, most: 2147483647 }, head: { type: "whole_number", least: 0, most: 2147483647 }, interventions: { type: "list", of: { type: "text", most: null }, least: 0, most: 500, absent: [] } } },
teach: { by: ["server"], repeatable: true, owner: false, analysis: false, fields: { model: { type: "text", most: null }, source: { type: "source", most: 2000 }, taught: { type: "correction", fields: { target: { type: "source", most: 2000 }, source: { type: "perhaps", of: { type: "source", most: 2000 } }, how: { type: "perhaps", of: { type: "text", most: 30 } } } } } },
keep: { by: ["server"], repeatable: false, owner: true, analysis: false, fields: { model: { type: "text", most: null }, source: { type: "source", most: 2000 }, taught: { type: "correction", fields: { target: { type: "source", most: 2000 }, source: { type: "perhaps", of: { type: "source", most: 2000 } }, how: { type: "perhaps", of: { type: "text", most: 30 } } } }, name: { type: "text", most: 60 } } },
noise: { by: ["server"], repeatable: true, owner: false, analysis: false, fields: { after: { type: "whole_number", least: 0, most: 1000 }, toy: { type: "perhaps", of: { type: "one_of", values: ["reverse", "repeat", "one_layer"] } } } },
downloads: { by: ["server"], repeatable: false, owner: true, analysis: false, fields: { model: { type: "text", most: null }, wish: { type: "one_of", values: ["offers", "progress", "cancel", "look_up", "start", "remove"] } } },
file: { by: ["server"], repeatable: true, owner: false, analysis: false, fields: { model: { type: "text", most: null }, source: { type: "source", most: 2000 }, taught: { type: "correction", fields: { target: { type: "source", most: 2000 }, source: { type: "perhaps", of: { type: "source", most: 2000 } }, how: { type: "perhaps", of: { type: "text", most: 30 } } } }, prefix: { type: "list", of: { type: "whole_number", least: 0, most: 2147483647 }, least: 0, most: 2000, absent: [] }, interventions: { type: "list", of: { type: "text", most: null }, least: 0, most: 500, absent: [] }, sampling: { type: "sampling" }, guest: { type: "guest", fields: { hidden: { type: "list", of: { type: "whole_number", least: 0, most: 2147483647 }, least: 0, most: 2000, absent: [] }, target_language: { type: "perhaps", of: { type: "text", most: 60 } }, chat: { type: "perhaps", of: { type: "one_of", values: [true] } }, second: { type: "perhaps", of: { type: "source", most: 20000 } } } }, format: { type: "one_of", values: ["html", "npz"] }, layers: { type: "perhaps", of: { type: "list", of: { type: "whole_number", least: 0, most: 2147483647 }, least: 0, most: 300, absent: [] } }, trace: { type: "trace", most: 16000000 } } },
bertviz: { by: ["server"], repeatable: true, owner: false, analysis: false, fields: { model: { type: "text", most: null }, source: { type: "source", most: 2000 }, taught: { type: "correction", fields: { target: { type: "source", most: 2000 }, source: { type: "perhaps", of: { type: "source", most: 2000 } }, how: { type: "perhaps", of: { type: "text", most: 30 } } } }, prefix: { type: "list", of: { type: "whole_number", least: 0, most: 2147483647 }, least: 0, most: 2000, absent: [] }, interventions: { type: "list", of: { type: "text", most: null }, least: 0, most: 500, absent: [] }, sampling: { type: "sampling" }, guest: { type: "guest", fields: { hidden: { type: "list", of: { type: "whole_number", least: 0, most: 2147483647 }, least: 0, most: 2000, absent: [] }, target_language: { type: "perhaps", of: { type: "text", most: 60 } }, chat: { type: "perhaps", of: { type: "one_of", values: [true] } }, second: { type: "perhaps", of: { type: "source", most: 20000 } } } }, view: { type: "one_of", values: ["head", "model"] }, theme: { type: "one_of", values: ["light", "dark"] }, trace: { type: "trace", most: 16000000 } } },
},
analyses: {
anatomy: { by: ["server", "engine", "advance"], needs: [], cost: "1", options: {} },
contributions: { by: ["server", "engine"], needs: ["states"], cost: "1", options: {} },
costs: { by: ["server", "engine"], needs: [], cost: "1", options: {} },
decoder_lens: { by: ["server", "engine"], needs: ["cross", "states"], cost: "1", options: {} },
distribution: { by: ["server", "engine"], needs: ["states"], cost: "1", options: {} },
effect: { by: ["server", "engine"], needs: ["steps"], cost: "1", options: { interventions: { type: "list", of: { type: "text", most: null }, least: 0, most: 500, absent: [] } } },
flow: { by: ["server", "engine"], needs: ["states"], cost: "1", options: { block: { type: "text", most: null } } },
gradients: { by: ["server"], needs: ["steps", "gradients"], cost: "3 * 17", options: { step: { type: "whole_number", least: 0, most: 2147483647 }, token: { type: "perhaps", of: { type: "whole_number", least: 0, most: 2147483647 } } } },
heads: { by: ["server", "engine", "advance"], needs: [], cost: "1", options: {} },
induction: { by: ["server"], needs: ["steps"], cost: "1", options: {} },
learnt_from: { by: ["server"], needs: ["steps", "states", "training_text"], cost: "100", options: { step: { type: "whole_number", least: 0, most: 2147483647 } } },
leave_one_out: { by: ["server", "engine"], needs: ["steps"], cost: "read", options: {} },
lens: { by: ["server", "engine"], needs: ["states"], cost: "1", options: {} },
patching: { by: ["server"], needs: ["steps", "states"], cost: "heads + 2 * layers + layers * longest", options: { donor: { type: "text", most: 2000 }, step: { type: "perhaps", of: { type: "whole_number", least: 0, most: 2147483647 } } } },
residual: { by: ["server", "engine"], needs: ["states"], cost: "1", options: {} },
swaps: { by: ["server"], needs: [], cost: "1", options: {} },
sweep: { by: ["server", "engine"], needs: ["steps"], cost: "most_heads", options: { kinds: { type: "list", of: { type: "one_of", values: ["encoder_self", "decoder_self", "cross"] }, least: 0, most: 3, absent: ["encoder_self", "decoder_self", "cross"] } } },
value_norms: { by: ["server", "engine"], needs: [], cost: "1", options: {} },
value_zeroing: { by: ["server", "engine"], needs: [], cost: "src + 2 * tgt", options: {} },
why: { by: ["server", "engine"], needs: ["steps"], cost: "read + decoder_layers * read", options: { step: { type: "whole_number", least: 0, most: 2147483647 }, token: { type: "whole_number", least: 0, most: 2147483647 } } },
without_words: { by: ["server", "engine"], needs: ["steps"], cost: "read", options: { step: { type: "whole_number", least: 0, most: 2147483647 } } },
},
};
