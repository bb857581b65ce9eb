import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { encodeBase58 } from '#libs/core/base58.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { isLaunchpad } from '../launches.js';
import type { SolanaVenueModule } from '../module.js';
import { emitting } from './decoded.js';
import { NOON } from './quote-world.js';

/** What every registered folder keeps to, whatever its program: one name, one program, and an answer to any bytes. */
export function itConforms(folder: string, file: string, modules: readonly SolanaVenueModule[]): void {
  it.each(modules.map((module) => [module.decoder.venue, module] as const))('%s conforms', (name, module) => {
    const { decoder, pools, instructions } = module;
    expect(existsSync(join(process.cwd(), folder, name, file))).toBe(true);
    if (pools !== null) expect([pools.venue, pools.program]).toEqual([name, decoder.program]);
    expect(pools === null && instructions !== null).toBe(false);
    const random = new SeededRandom(name.length);
    const key = (): string => encodeBase58(Buffer.from(random.hex(32), 'hex'));
    for (let nth = 0; nth < 200; nth++) {
      const data = random.hex(random.int(0, 40));
      const accounts = Array.from({ length: random.int(0, 20) }, key);
      const tx = emitting(decoder, { data, accounts }, [Buffer.from(random.hex(random.int(8, 300)), 'hex')]);
      expect(decoder.legs(tx, 0)).toEqual([]);
      if (isLaunchpad(decoder)) expect(decoder.launches(tx, 0).length).toBeLessThanOrEqual(2);
      if (pools === null) continue;
      const pool = key();
      const bytes = Uint8Array.from(Buffer.from(random.hex(random.int(0, 1400)), 'hex'));
      const known = new Map([[pool, { owner: decoder.program, lamports: 1n, data: bytes }]]);
      expect(pools.identity(bytes)).toBeNull();
      expect(pools.read(pool, known, NOON)).toBeNull();
      expect(pools.read(pool, new Map([[pool, null]]), NOON)).toBeNull();
    }
  });

  it('names each folder and each program once', () => {
    const names = modules.map(({ decoder }) => decoder.venue);
    const programs = modules.map(({ decoder }) => decoder.program);
    expect([new Set(names).size, new Set(programs).size]).toEqual([modules.length, modules.length]);
  });
}
