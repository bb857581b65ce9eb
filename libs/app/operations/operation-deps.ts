import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';

/** What the operator's commands work on: a running instance gives its own parts, the command line opens them. */
export interface OperationDeps {
  log: EventLog;
  /** Opened when an operation first needs it: the embedded store takes a second to start. */
  store: () => Promise<AnalyticsStore>;
  /** The folder, where nothing but this command uses it; absent while an instance runs. */
  dataDir?: string;
  /** The same folder, for looks at what stages keep there, also while an instance runs. */
  stateDir: string;
  /** Slugs of the chains this instance is configured for. */
  chains: readonly string[];
  /** What the process says of itself; the command line alone has nothing to say. */
  status?: () => unknown;
  /** Called after a command changed accounts or keys: they are known in this process when it has ended. */
  accountsChanged?: () => Promise<void>;
  /** Called after a command made other tables of a chain the served ones. */
  onFlip?: (chain: string) => void;
  /** Starts a stopped stage again; absent when no stage runs here. Answers whether there is such a stage. */
  restartStage?: (name: string) => Promise<boolean>;
}
