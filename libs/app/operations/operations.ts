// Room: the commands of an operator on log and tables, for the command line and the admin socket. May import core,
// protocol, platform, all of pipeline, serve/contract, serve/accounts.

import type { Operations } from '#libs/platform/admin-protocol.js';
import { accountOperations } from './accounts.js';
import { deadLetterOperations } from './dead-letters.js';
import type { OperationDeps } from './operation-deps.js';
import { secretOperations } from './secrets.js';
import { storeOperations } from './store.js';
import { topicOperations } from './topics.js';
import { transferOperations } from './transfer.js';
import { truncateOperations } from './truncate.js';
import { upgradeOperations } from './upgrade/upgrades.js';

/**
 * The operator's commands as functions. A running instance serves them on its socket; the command line runs the very
 * same ones itself when no instance runs.
 */
export function createOperations(deps: OperationDeps): Operations {
  return {
    status: async () => ({
      ...((await deps.status?.()) as object | undefined),
      running: deps.status !== undefined,
      topics: await deps.log.describe(),
    }),
    ...topicOperations(deps),
    ...transferOperations(deps),
    ...truncateOperations(deps),
    ...storeOperations(deps),
    ...deadLetterOperations(deps),
    ...upgradeOperations(deps),
    ...accountOperations(deps),
    ...secretOperations(deps),
  };
}
