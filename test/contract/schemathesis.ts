import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { projectFolder } from '#libs/platform/program-version.js';

/** Where `.ci/run` installs it. */
const PROGRAM = join(projectFolder(), '.cache/schemathesis/bin/schemathesis');

export const missingSchemathesis = existsSync(PROGRAM)
  ? null
  : 'schemathesis is not installed (python3 -m venv .cache/schemathesis, then .cache/schemathesis/bin/pip install schemathesis)';

/** What every answer is held to; that parameters are refused and accepted as described has specs of its own. */
const CHECKS = [
  ...['not_a_server_error', 'status_code_conformance', 'content_type_conformance', 'response_schema_conformance'],
  ...['response_headers_conformance', 'unsupported_method', 'allow_header_conformance', 'ignored_auth'],
];

export interface ContractRun {
  readonly url: string;
  readonly document: string;
  readonly key: string;
  readonly seed: number;
  /** Requests generated for each operation. */
  readonly examples: number;
  /** Operations that no single request can test. */
  readonly without?: readonly string[];
}

export interface ContractOutcome {
  readonly code: number;
  readonly output: string;
  /** Requests that were made and checked. */
  readonly cases: number;
}

/** Runs schemathesis over one listener and its document. */
export async function runSchemathesis(run: ContractRun): Promise<ContractOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'tidepool-contract-'));
  const file = join(folder, 'document.yaml');
  await writeFile(file, run.document);
  const args = [
    ...['run', file, '--url', run.url, '-H', `x-api-key: ${run.key}`],
    ...['--checks', CHECKS.join(','), '--phases', 'examples,coverage,fuzzing', '--seed', String(run.seed)],
    ...['--max-examples', String(run.examples), '--request-timeout', '30', '--warnings', 'off', '--workers', '1'],
    ...['--suppress-health-check', 'all', '--generation-database', 'none', '--continue-on-failure', '--no-color'],
    ...(run.without ?? []).flatMap((id) => ['--exclude-operation-id', id]),
  ];
  try {
    const child = spawn(PROGRAM, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const code = await new Promise<number>((done, failed) => {
      child.once('error', failed);
      child.once('close', (status) => done(status ?? 1));
    });
    return { code, output, cases: Number(/(\d[\d,]*) generated/.exec(output)?.[1]?.replaceAll(',', '') ?? 0) };
  } finally {
    await removeFolder(folder);
  }
}
