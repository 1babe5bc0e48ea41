/** As much of Node.js's own types as the tests here use; its package of types is not installed. */

declare module "node:test" {
  export default function test(name: string, run: () => void | Promise<void>): Promise<void>;
}

declare module "node:assert/strict" {
  const assert: {
    (value: unknown, message?: string): asserts value;
    equal(actual: unknown, expected: unknown, message?: string): void;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    throws(run: () => unknown, error: RegExp | { message: string }, message?: string): void;
    rejects(promise: Promise<unknown>, error?: RegExp | string): Promise<void>;
  };
  export default assert;
}

declare module "node:fs" {
  export function readFileSync(file: URL, encoding: "utf8"): string;
  export function readFileSync(file: string): Uint8Array<ArrayBuffer>;
  export function readdirSync(folder: string): string[];
}

declare module "node:inspector/promises" {
  export class Session {
    connect(): void;
    disconnect(): void;
    post(method: "Profiler.enable"): Promise<void>;
    post(method: "Profiler.startPreciseCoverage", options: { callCount: true }): Promise<void>;
    post(method: "Profiler.takePreciseCoverage"): Promise<{
      result: { url: string; functions: { ranges: { count: number }[] }[] }[];
    }>;
  }
}

declare module "node:readline" {
  export function createInterface(options: { input: unknown }): AsyncIterable<string>;
}

declare const process: {
  argv: string[];
  stdin: unknown;
  stdout: { write(text: string): void };
  memoryUsage(): { arrayBuffers: number };
};
