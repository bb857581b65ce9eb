import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import type { Lack } from './node-lacks.js';
import { NodeMemory, nodesFile } from './node-memory.js';

const lack = (what: string): Lack => ({ what, below: null, kind: 'plan', message: `no ${what}` });
const size = (blocks: number) => ({ size: blocks, refused: null, patience: 4 });

describe('what is kept of nodes', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'node-memory-'));
  });
  afterEach(() => removeFolder(dir));

  it('keeps what each of two writers learned, and forgets what one of them saw to be over', () => {
    const file = nodesFile(dir, 'eth');
    const first = new NodeMemory(file);
    first.keep('node', { sizes: { list: size(10) }, lacks: [lack('receipts'), lack('traces')] });
    first.save();
    const second = new NodeMemory(file);
    expect(second.of('node')!.lacks.map(({ what }) => what)).toEqual(['receipts', 'traces']);
    second.keep('node', { sizes: { list: size(10), slots: size(7) }, lacks: [lack('traces'), lack('simulations')] });
    second.keep('other', { sizes: {}, lacks: [lack('logs')] });
    second.save();
    first.keep('node', { sizes: { list: size(20) }, lacks: [lack('receipts'), lack('traces')] });
    first.save();

    const last = new NodeMemory(file);
    expect(last.of('node')).toEqual({
      sizes: { list: size(20), slots: size(7) },
      lacks: expect.arrayContaining([lack('traces'), lack('simulations')]),
    });
    expect(last.of('node')!.lacks).toHaveLength(2);
    expect(last.of('other')!.lacks).toEqual([lack('logs')]);
    expect(readdirSync(dir)).toEqual(['nodes.eth.json']);
  });

  it('writes nothing where nothing changed', () => {
    const file = nodesFile(dir, 'eth');
    const memory = new NodeMemory(file);
    memory.keep('node', { sizes: {}, lacks: [] });
    memory.save();
    expect(readdirSync(dir)).toEqual([]);
    memory.keep('node', { sizes: { list: size(10) }, lacks: [] });
    memory.save();
    expect(readdirSync(dir)).toEqual(['nodes.eth.json']);
    rmSync(file);
    memory.keep('node', { sizes: { list: size(10) }, lacks: [] });
    memory.save();
    expect(readdirSync(dir)).toEqual([]);
  });
});
