import { bundledPackages } from './scripts/lib/bundle-packages.mjs';

// One runner for every spec. Run with `node --experimental-vm-modules` (scripts/test.mjs does).
export default {
  testEnvironment: 'node',
  rootDir: '.',
  roots: ['<rootDir>/libs', '<rootDir>/apps', '<rootDir>/programs', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  setupFilesAfterEnv: ['<rootDir>/scripts/lib/quick-expect.mjs'],
  testSequencer: '<rootDir>/scripts/lib/slow-first.mjs',
  extensionsToTreatAsEsm: ['.ts'],
  // Globals as fast as outside of a spec's context: in packages by this, in sources by the transform.
  sandboxInjectedGlobals: ['Array', 'BigInt', 'Math', 'Number', 'Object', 'Uint8Array'],
  transform: { '^.+\\.ts$': '<rootDir>/scripts/lib/jest-transform.mjs' },
  moduleNameMapper: {
    '^#libs/(.*)\\.js$': '<rootDir>/libs/$1',
    '^#apps/(.*)\\.js$': '<rootDir>/apps/$1',
    '^#programs/(.*)\\.js$': '<rootDir>/programs/$1',
    '^(\\.{1,2}/.*)\\.js$': '$1',
    ...bundledPackages(import.meta.dirname),
  },
  // A bound for what hangs. No spec leans on it: a busy machine may take many times as long as an idle one.
  testTimeout: 600_000,
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.cache', '<rootDir>/test/recipes/fixtures'],
};
