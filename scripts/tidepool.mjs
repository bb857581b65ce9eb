#!/usr/bin/env node
// The `tidepool` command (npx --no tidepool …): builds what is missing, then runs the command line in this process.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildIfNeeded, installIfNeeded, PROJECT } from './lib/prepare.mjs';

try {
  await installIfNeeded();
  await buildIfNeeded();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
process.env.UV_THREADPOOL_SIZE ??= '16';
const { main } = await import(pathToFileURL(join(PROJECT, 'dist/apps/cli/src/main.js')).href);
process.exitCode = await main(process.argv.slice(2));
