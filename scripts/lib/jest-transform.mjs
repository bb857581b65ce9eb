// What jest does with a source: swc, as the build does, and one line before it. A spec runs in a context of its own, whose
// globals node looks up through a call out of the engine each time; as constants of the module they are as fast as in the
// program. Invariant: only globals that no spec replaces. Kept since with @swc/jest alone curves, codecs and proofs take more than
// three times the processor time (2.5 -> 8.1 s).
import { createTransformer } from '@swc/jest';

const GLOBALS = [
  ...[
    'Array',
    'BigInt',
    'Buffer',
    'DataView',
    'Error',
    'JSON',
    'Map',
    'Math',
    'Number',
    'Object',
    'Set',
    'String',
    'Symbol',
  ],
  ...['BigInt64Array', 'BigUint64Array', 'Float64Array', 'Int32Array', 'Uint16Array', 'Uint32Array', 'Uint8Array'],
];

const swc = createTransformer();

function withGlobals(result) {
  const { code } = result;
  const names = GLOBALS.filter((name) => uses(code, name) && !declares(code, name));
  // On the first line: all others stay where they are.
  return names.length === 0 ? result : { ...result, code: `const { ${names.join(', ')} } = globalThis; ${code}` };
}

const uses = (code, name) => new RegExp(`\\b${name}\\b`).test(code);

/** Imports, variables, functions, classes and parameters of this name alike: then the module keeps its own. */
const declares = (code, name) =>
  new RegExp(`^import[^;]*\\b${name}\\b|\\b(?:const|let|var|function|class)\\s+${name}\\b`, 'm').test(code);

export default {
  ...swc,
  process: (...args) => withGlobals(swc.process(...args)),
  processAsync: async (...args) => withGlobals(await swc.processAsync(...args)),
  getCacheKey: (...args) => `globals-3-${swc.getCacheKey(...args)}`,
};
