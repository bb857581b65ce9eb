// Room: what a process needs around its work: configuration, data folder, logging, metrics, health, supervisor,
// shutdown. May import core, protocol.

import { TidepoolError } from '#libs/core/errors.js';
import { type AdminListener, startAdminListener } from './admin-listener.js';
import type { Operations } from './admin-protocol.js';
import { serveAdminSocket } from './admin-socket.js';
import { type AppName, type Config, type KnownChain, loadConfig } from './config.js';
import { type DataFolder, openDataFolder } from './data-folder.js';
import { DiskGuard } from './disk-space.js';
import { exitCodeOf } from './exit-code.js';
import { Health } from './health.js';
import { type Logger, loggerOf } from './logger.js';
import { Metrics } from './metrics.js';
import { addProcessMetrics } from './process-metrics.js';
import { programVersion } from './program-version.js';
import { Redactor } from './redactor.js';
import { Shutdown } from './shutdown.js';
import { type SupervisedStage, type SupervisedStatus, Supervisor } from './supervisor.js';

export interface RuntimeOptions {
  app: AppName;
  chains: readonly KnownChain[];
  env?: Record<string, string | undefined>;
  cwd?: string;
  /** False for apps that may run many times on one machine with the same data folder (api, router). */
  exclusive?: boolean;
  exit?: (code: number) => void;
}

/**
 * What every process has: configuration, log, metrics, health, data folder, supervisor, orderly end. Closing is in
 * reverse order: what was opened later closes earlier. So open log and store first, then start stages, then listeners.
 */
export class Runtime {
  private stagesRegistered = false;

  private constructor(
    readonly config: Config,
    readonly version: string,
    readonly redactor: Redactor,
    readonly logger: Logger,
    readonly metrics: Metrics,
    readonly health: Health,
    readonly shutdown: Shutdown,
    readonly supervisor: Supervisor,
    readonly folder: DataFolder,
    /** Whether the data folder is this process's alone. */
    readonly exclusive: boolean,
  ) {}

  static async start(options: RuntimeOptions): Promise<Runtime> {
    const config = loadConfig(options);
    const version = programVersion();
    const redactor = new Redactor(config.secrets);
    const logger = loggerOf(config, redactor);
    for (const warning of config.warnings) logger.warn({}, warning);
    const holder = options.app === 'all-in-one' ? 'npm start' : `tidepool ${options.app}`;
    const folder = await openDataFolder({ dir: config.dataDir, version, holder, exclusive: options.exclusive });
    const metrics = new Metrics();
    const health = new Health();
    const running = metrics.gauge(
      'tidepool_stage_running',
      'Whether a stage runs (1) or waits, is held or stopped (0)',
    );
    const restarts = metrics.gauge('tidepool_stage_restarts', 'Restarts of a stage since the process started');
    const onChange = (status: SupervisedStatus): void => {
      running.set(status.state === 'running' ? 1 : 0, { stage: status.name });
      restarts.set(status.restarts, { stage: status.name });
      showHealth(health, status);
    };
    const redact = (text: string): string => redactor.redact(text);
    const supervisor = new Supervisor({ logger, onChange, redact });
    const shutdown = new Shutdown({ logger, timeoutMs: config.shutdownMs, exit: options.exit });
    shutdown.add('data folder', () => folder.close());
    shutdown.add('process metrics', addProcessMetrics(metrics));
    return new Runtime(
      config,
      version,
      redactor,
      logger,
      metrics,
      health,
      shutdown,
      supervisor,
      folder,
      options.exclusive !== false,
    );
  }

  /** Supervises a stage. The first call fixes its place in the orderly end: stages stop before what was opened earlier. */
  startStage(stage: SupervisedStage): void {
    if (!this.stagesRegistered) {
      this.stagesRegistered = true;
      this.shutdown.add('stages', () => this.supervisor.stop());
    }
    this.supervisor.start(stage);
  }

  /** Holds the stages while the disk is nearly full. */
  async guardDisk(): Promise<void> {
    const guard = new DiskGuard({
      dir: this.folder.dir,
      minFreeBytes: this.config.minFreeBytes,
      logger: this.logger,
      onLow: async (message) => {
        this.logger.error({ code: 'disk_full' }, message);
        this.health.set('disk', 'failing', message);
        await this.supervisor.hold(message);
      },
      onRecovered: () => {
        this.health.set('disk', 'ok');
        this.supervisor.release();
      },
    });
    this.shutdown.add('disk guard', () => guard.stop());
    await guard.start();
  }

  /** The admin listener (metrics, health, status) and the command line's socket. */
  async serveAdmin(options: { status: () => unknown; operations: Operations }): Promise<AdminListener> {
    const { logger, version, health, metrics } = this;
    const listener = await startAdminListener({
      listener: this.config.listeners.admin,
      version,
      health,
      metrics,
      logger,
      status: options.status,
    });
    const closeListener = this.shutdown.add('admin listener', () => listener.close());
    // Apps that share a folder have no socket in it: the command line talks to the one that holds the folder.
    if (!this.exclusive) return { ...listener, close: closeListener };
    const socket = await serveAdminSocket({
      dataDir: this.folder.dir,
      operations: options.operations,
      logger,
      redact: (text) => this.redactor.redact(text),
    });
    const closeSocket = this.shutdown.add('admin socket', () => socket.close());
    const close = async () => {
      await closeSocket();
      await closeListener();
    };
    return { ...listener, close };
  }

  /** What every process can say of itself; the composition root adds its own. */
  status(): Record<string, unknown> {
    return {
      app: this.config.app,
      version: this.version,
      pid: process.pid,
      uptimeSeconds: Math.round(process.uptime()),
      dataDir: this.folder.dir,
      ...this.health.readiness(),
      held: this.supervisor.held,
      stages: this.supervisor.status(),
    };
  }
}

function showHealth(health: Health, status: SupervisedStatus): void {
  const reason = status.error === null ? '' : `${status.error.code}: ${status.error.message}`;
  if (status.state === 'running') health.set(status.name, 'ok');
  else if (status.state === 'ended') health.remove(status.name);
  else health.set(status.name, 'failing', `${status.state}${reason === '' ? '' : `, ${reason}`}`);
}

/**
 * The whole life of a process: starts the runtime, hands it to the app's own composition, and ends with the exit code
 * that fits what happened. Errors with a code are shown as a sentence, all others with their stack in the log.
 */
export async function runApp(options: RuntimeOptions, compose: (runtime: Runtime) => Promise<void>): Promise<void> {
  const exit = options.exit ?? ((code: number) => process.exit(code));
  let runtime: Runtime;
  try {
    runtime = await Runtime.start(options);
  } catch (error) {
    process.stderr.write(`${startProblem(error)}\n`);
    exit(exitCodeOf(error));
    return;
  }
  const { logger, shutdown } = runtime;
  shutdown.install();
  const fail = (error: unknown, message: string): void => {
    if (error instanceof TidepoolError) logger.error({ code: error.code }, error.message);
    else logger.error({ err: error }, message);
    void shutdown.run(message, exitCodeOf(error));
  };
  process.on('uncaughtException', (error) => fail(error, 'an uncaught error'));
  process.on('unhandledRejection', (error) => fail(error, 'an unhandled rejection'));
  try {
    await compose(runtime);
  } catch (error) {
    if (shutdown.signal.aborted) logger.debug({ err: error }, 'the start was interrupted');
    else fail(error, 'the start failed');
  }
}

const startProblem = (error: unknown): string => {
  if (error instanceof TidepoolError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
};
