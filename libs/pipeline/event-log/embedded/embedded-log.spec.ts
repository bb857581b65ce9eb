import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logContract } from '../test/log-contract.js';
import { openEmbeddedLog } from './embedded-log.js';

logContract('embedded', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tidepool-log-'));
  return {
    open: () => openEmbeddedLog({ dir }),
    childArguments: () => ({ dir }),
    close: async () => rmSync(dir, { recursive: true, force: true }),
  };
});
