import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { childArguments, endChild, nextLine } from './child-process.js';

export interface ClickHouseEndpoint {
  readonly url: string;
  readonly pid: number;
  /** SIGKILL, as a crash of the server would be. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

/**
 * ClickHouse's HTTP interface over chDB in a process of its own: what @clickhouse/client needs of a server, for tests on
 * machines without one. The same folder gives the same data again after a kill.
 */
export async function startClickHouseEndpoint(options: {
  dir: string;
  user?: string;
  password?: string;
}): Promise<ClickHouseEndpoint> {
  const child = spawn(process.execPath, childArguments('clickhouse-endpoint-main.ts'), {
    env: {
      ...process.env,
      UV_THREADPOOL_SIZE: '16',
      ENDPOINT_DIR: options.dir,
      ENDPOINT_USER: options.user ?? 'default',
      ENDPOINT_PASSWORD: options.password ?? '',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const port = await nextLine(createInterface({ input: child.stdout }));
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid!,
    kill: () => endChild(child, 'SIGKILL'),
    close: () => endChild(child, 'SIGTERM'),
  };
}
