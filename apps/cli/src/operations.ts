import type { EventLog } from '#libs/event-log/log.js';
import type { Operations } from '#libs/platform/admin-protocol.js';
import type { AnalyticsStore } from '#libs/store/store.js';
import { deadLetterOperations } from './operations/dead-letters.js';
import { storeOperations } from './operations/store.js';
import { topicOperations } from './operations/topics.js';
import { transferOperations } from './operations/transfer.js';
import { truncateOperations } from './operations/truncate.js';

export interface OperationDeps {
  log: EventLog;
  /** Opened when an operation first needs it: the embedded store takes a second to start. */
  store: () => Promise<AnalyticsStore>;
  /** The folder, where nothing but this command uses it; absent beside a running instance. */
  dataDir?: string;
  /** Slugs of the chains this instance is configured for. */
  chains: readonly string[];
  /** What the process says of itself; the command line alone has nothing to say. */
  status?: () => unknown;
  /** Starts a stopped stage again; absent when no stage runs here. Answers whether there is such a stage. */
  restartStage?: (name: string) => Promise<boolean>;
}

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
  };
}
