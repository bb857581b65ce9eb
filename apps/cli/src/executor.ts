import { existsSync } from 'node:fs';
import { openLog } from '#libs/app/backends/open-log.js';
import { openStore } from '#libs/app/backends/open-store.js';
import { createOperations } from '#libs/app/operations/operations.js';
import { listedChains } from '#libs/chain/catalogue/catalogue.js';
import { TidepoolError } from '#libs/core/errors.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { connectAdmin } from '#libs/platform/admin-client.js';
import type { OperationIo } from '#libs/platform/admin-protocol.js';
import { type Config, loadConfig } from '#libs/platform/config.js';
import { openDataFolder } from '#libs/platform/data-folder.js';
import { programVersion } from '#libs/platform/program-version.js';
import type { CommandIo, ExecuteHandlers, Executor } from './command.js';

/** Operations that make sense on a folder that does not exist yet: a restore, tables and accounts prepared before a first start. */
const CREATING = new Set(['topics.import', 'migrate', 'accounts.create', 'plans.set']);

/**
 * Runs operations where the data is: over the socket of the instance that holds the data folder, or in this process,
 * which then holds the folder's lock itself for as long as the operation takes.
 */
export class DataFolderExecutor implements Executor {
  constructor(
    private readonly io: CommandIo,
    private readonly env?: Record<string, string | undefined>,
  ) {}

  config(): Config {
    return loadConfig({ app: 'cli', chains: listedChains, env: this.env });
  }

  async execute(operation: string, args: Record<string, unknown>, handlers: ExecuteHandlers = {}): Promise<unknown> {
    const config = this.config();
    for (const warning of config.warnings) this.io.stderr.write(`tidepool: ${warning}\n`);
    const io: OperationIo = {
      signal: this.io.signal,
      progress: (progress) => handlers.progress?.(progress),
      line: async (text) => handlers.line?.(text),
    };
    const running = await connectAdmin(config.dataDir);
    if (running) return running.call(operation, args, io);
    return this.executeHere(config, operation, args, io);
  }

  private async executeHere(
    config: Config,
    operation: string,
    args: Record<string, unknown>,
    io: OperationIo,
  ): Promise<unknown> {
    const embedded = config.kafka === null || config.clickhouse === null;
    if (embedded && !CREATING.has(operation) && !existsSync(config.dataDir)) {
      throw new TidepoolError(
        'no_data',
        `there is no data folder ${config.dataDir}: start the service once (npm start), or set TIDEPOOL_DATA_DIR to its folder`,
      );
    }
    const holder = `tidepool ${operation.replace('.', ' ')}`;
    const folder = await openDataFolder({
      dir: config.dataDir,
      version: programVersion(),
      holder,
      exclusive: embedded,
    });
    try {
      const log = await openLog(config, folder);
      let store: Promise<AnalyticsStore> | null = null;
      try {
        const operations = createOperations({
          log,
          ...{ dataDir: config.dataDir, stateDir: config.dataDir },
          store: () => (store ??= openStore(config, folder)),
          chains: config.chains.map(({ slug }) => slug),
        });
        return await operations[operation]!(args, io);
      } finally {
        // A store that could not be opened failed the operation itself: there is nothing to close.
        const opened = await (store as Promise<AnalyticsStore> | null)?.catch(() => null);
        await opened?.close();
        await log.close();
      }
    } finally {
      await folder.close();
    }
  }
}
