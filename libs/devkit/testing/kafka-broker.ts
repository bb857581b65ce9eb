import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeUnlessMissing } from '#libs/devkit/testing/requirements.js';
import { freePort, startGuarded } from './guarded-server.js';
import { removeFolderSync } from './remove-folder.js';

/**
 * A real Apache Kafka broker for tests: one KRaft node on loopback, on ports that were free, its data in a temporary
 * folder. The jars come from Maven once and stay in .cache/kafka. Paths are relative to the project, where every
 * script and test of it runs.
 */
export interface KafkaBroker {
  readonly brokers: string[];
  readonly pid: number;
  /** SIGKILL, as a crash would; the data stays. Resolves when the process is gone. */
  kill9(): Promise<void>;
  /** Starts the broker again on the same data and the same ports. */
  restart(): Promise<void>;
  /** Ends the process; deletes the data unless a folder was given. */
  stop(): Promise<void>;
}

const JARS = join('.cache', 'kafka', 'jars');
const SOURCES = join('scripts', 'kafka');
const START_MS = 120_000;

/** Why no broker can be started here, or null when one can. Fetches the jars when they are missing. */
export function kafkaMissing(): string | null {
  if (spawnSync('java', ['-version']).status !== 0) return 'no Java runtime (java -version fails)';
  if (existsSync(JARS)) return null;
  if (spawnSync('mvn', ['-version']).status !== 0) return 'no Maven to fetch the broker with (mvn -version fails)';
  const partial = `${JARS}.${process.pid}`;
  mkdirSync(partial, { recursive: true });
  const fetched = spawnSync(
    'mvn',
    [
      '-q',
      '-B',
      '-f',
      join(SOURCES, 'pom.xml'),
      'dependency:copy-dependencies',
      `-DoutputDirectory=${join(process.cwd(), partial)}`,
    ],
    { encoding: 'utf8' },
  );
  if (fetched.status !== 0) {
    removeFolderSync(partial);
    return `Maven could not fetch the broker: ${`${fetched.stdout}${fetched.stderr}`.trim().slice(0, 400)}`;
  }
  try {
    renameSync(partial, JARS);
  } catch (error) {
    removeFolderSync(partial);
    // Another suite was faster.
    if (!existsSync(JARS)) throw error;
  }
  return null;
}

/** `describe` for suites that need a broker. */
export function describeWithKafka(name: string, body: () => void): void {
  describeUnlessMissing(kafkaMissing(), name, body);
}

/** A listener of its own, which sends its clients to another port: that of a proxy in front of it. */
export interface KafkaLine {
  readonly port: number;
  readonly advertised: number;
}

export async function startKafkaBroker(
  options: { dir?: string; port?: number; lines?: readonly KafkaLine[] } = {},
): Promise<KafkaBroker> {
  const missing = kafkaMissing();
  if (missing !== null) throw new Error(missing);
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'tidepool-kafka-'));
  const port = options.port ?? (await freePort());
  const properties = join(dir, 'server.properties');
  const data = join(dir, 'data');
  if (!existsSync(join(data, 'meta.properties'))) {
    mkdirSync(data, { recursive: true });
    const controllerPort = await freePort();
    const filled = readFileSync(join(SOURCES, 'server.properties'), 'utf8')
      .replaceAll('@DATA@', data)
      .replaceAll('@PORT@', String(port))
      .replaceAll('@CONTROLLER_PORT@', String(controllerPort));
    writeFileSync(properties, withLines(filled, options.lines ?? []));
    format(properties);
  }
  let broker = await run(dir, properties, port);
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    if (broker.exitCode !== null || broker.signalCode !== null) return;
    const gone = new Promise((resolve) => broker.once('exit', resolve));
    broker.kill(signal);
    await gone;
  };
  return {
    brokers: [`127.0.0.1:${port}`],
    get pid() {
      return broker.pid!;
    },
    kill9: () => end('SIGKILL'),
    restart: async () => {
      await end('SIGKILL');
      broker = await run(dir, properties, port);
    },
    stop: async () => {
      await end('SIGKILL');
      if (options.dir === undefined) removeFolderSync(dir);
    },
  };
}

function withLines(properties: string, lines: readonly KafkaLine[]): string {
  const each = (text: (line: KafkaLine, at: number) => string): string =>
    lines.map((line, at) => `,${text(line, at)}`).join('');
  return properties
    .replace(/^listeners=.*$/m, (set) => set + each(({ port }, at) => `LINE${at}://127.0.0.1:${port}`))
    .replace(
      /^advertised\.listeners=.*$/m,
      (set) => set + each(({ advertised }, at) => `LINE${at}://127.0.0.1:${advertised}`),
    )
    .replace(/^listener\.security\.protocol\.map=.*$/m, (set) => set + each((_line, at) => `LINE${at}:PLAINTEXT`));
}

const JAVA = ['-Xmx384m', '-Xms128m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Djava.awt.headless=true'];
const classpath = (): string => join(process.cwd(), JARS, '*');

function format(properties: string): void {
  // As Kafka's own ids: a leading hyphen would be taken for an option.
  const clusterId = randomBytes(16).toString('base64url').replace(/^-/, 'A');
  const result = spawnSync(
    'java',
    [
      ...JAVA,
      '-cp',
      classpath(),
      'kafka.tools.StorageTool',
      'format',
      '-t',
      clusterId,
      '-c',
      properties,
      '--ignore-formatted',
    ],
    { encoding: 'utf8' },
  );
  if (result.status !== 0) throw new Error(`cannot format the broker's data: ${result.stdout}${result.stderr}`);
}

async function run(dir: string, properties: string, port: number): Promise<ChildProcess> {
  const logFile = join(dir, 'broker.log');
  const log = openSync(logFile, 'a');
  const child = spawn(
    'java',
    [...JAVA, '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn', '-cp', classpath(), 'kafka.Kafka', properties],
    { stdio: ['ignore', log, log] },
  );
  return startGuarded({
    ...{ child, port, startMs: START_MS },
    problem: () => `the broker did not start:\n${readFileSync(logFile, 'utf8').slice(-4000)}`,
  });
}
