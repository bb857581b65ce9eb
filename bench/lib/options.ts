import { parseArgs } from 'node:util';

/**
 * Options of a benchmark, all of them texts with a default; an empty one means none. `--help` prints them and ends the
 * process, and so does an unknown option.
 */
export function benchOptions<T extends Record<string, string>>(name: string, defaults: T): T {
  const options = Object.entries(defaults).map(([option, fallback]) => [option, { type: 'string', default: fallback }]);
  const usage = `node dist/bench/${name}.js ${Object.entries(defaults)
    .map(([option, fallback]) => `[--${option} ${fallback === '' ? '…' : fallback}]`)
    .join(' ')}\n\nbench/README.md says what it measures.`;
  try {
    const help = { help: { type: 'boolean', default: false } };
    const { values } = parseArgs({ options: { ...Object.fromEntries(options), ...help } as never });
    const { help: asked, ...given } = values as { help: boolean };
    if (!asked) return given as unknown as T;
    console.log(usage);
    process.exit(0);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}
