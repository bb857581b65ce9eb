import { readFileSync } from 'node:fs';
import { LaunchWorld } from '#apps/router/test/launch/launch-world.js';
import { signedCreate } from '#apps/router/test/launch/signed-create.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { readSolanaTransaction } from '#libs/chain/chains/solana/read-transaction.js';
import { METAPLEX_PROGRAM, metaplexAddress, readMetaplex } from '#libs/chain/chains/solana/token/metaplex.js';
import { readTransaction } from '#libs/chain/chains/solana/wire-transaction.js';
import { readDbcConfig, readDbcPool } from '#libs/chain/launchpads/meteora-dbc/account.js';
import { meteoraDbc } from '#libs/chain/launchpads/meteora-dbc/decode.js';
import { launchesIn, legsIn } from '#libs/chain/market-ports/solana/test/decoded.js';
import { type LocalSolana, startLocalSolana } from '#libs/devkit/devnet/solana/local-solana.js';
import { SeededKey } from '#libs/devkit/devnet/solana/market/seeded-key.js';
import { reportSkipped } from '#libs/devkit/testing/requirements.js';
import { scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import type { LaunchCreated } from '#libs/serve/contract/rest/launch/launch-body.js';
import { associatedId, idOf, TOKEN_PROGRAM_ID, WRAPPED_MINT } from '#programs/client.js';
import { missingProgram, programFile } from './genuine-world.js';

/**
 * Creates on Meteora's dynamic bonding curve, run by the program that is deployed: what the router promised is what the chain has
 * after they are sent. Without the executables, which are not ours to ship, it is skipped.
 */
const PROGRAMS = [meteoraDbc.program, METAPLEX_PROGRAM];
const SOL = 1_000_000_000n;
/** The mint of wrapped coins, as every chain has it. */
function coinMint(): Buffer {
  const data = Buffer.alloc(82);
  data[44] = 9;
  data[45] = 1;
  return data;
}

const missing = PROGRAMS.map(missingProgram).find((text) => text !== null) ?? null;
if (missing !== null) reportSkipped('creates on the genuine Meteora DBC', missing);

(missing === null ? describe : describe.skip)('creates on the genuine Meteora DBC', () => {
  let chain: LocalSolana;
  let world: LaunchWorld;
  let keys = 0;

  beforeAll(async () => {
    chain = await startLocalSolana({ seed: 41, autoSlots: false });
    for (const program of PROGRAMS) chain.deploy(program, readFileSync(programFile(program)));
    chain.setAccount(solanaIds.formatAddress(WRAPPED_MINT), {
      ...{ lamports: SOL, owner: solanaIds.formatAddress(TOKEN_PROGRAM_ID), executable: false, rentEpoch: 0n },
      data: coinMint(),
    });
    for (let n = 0; n < 3; n++) chain.slot();
    world = await LaunchWorld.start({ localNodes: new Map([['sol', chain.rpcUrl]]), limits: { take: () => 0 } });
  });
  afterAll(async () => {
    await world.close();
    await chain.stop();
  });

  function funded(lamports: bigint): SeededKey {
    const key = new SeededKey(`genuine creator ${keys++}`);
    if (lamports > 0n) chain.airdrop(key.address, lamports);
    chain.slot();
    chain.slot();
    return key;
  }

  const asked = (creator: SeededKey, more: object = {}) => ({
    ...{ platform: 'meteora-dbc', creator: creator.address, name: 'Spring Tide', symbol: 'TIDE' },
    ...{ image: world.sampleImage, rpcUrl: chain.rpcUrl, ...more },
  });

  const lamports = (key: SeededKey): bigint => chain.account(key.address)?.lamports ?? 0n;
  const amountOf = (owner: string, mint: string): bigint => {
    const found = chain.account(solanaIds.formatAddress(associatedId(owner, mint)));
    return found === null ? 0n : Buffer.from(found.data).readBigUInt64LE(64);
  };

  /** Name, symbol and address of the metadata, as wallets read them. */
  function metadataOf(mint: string): (string | null)[] {
    const { name, symbol, uri } = readMetaplex(chain.account(metaplexAddress(mint))!)!;
    return [name, symbol, uri];
  }

  async function recorded(signature: string) {
    const params = [signature, { encoding: 'json', maxSupportedTransactionVersion: 1, commitment: 'confirmed' }];
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getTransaction', params });
    const headers = { 'content-type': 'application/json' };
    const answer = await (await fetch(chain.rpcUrl, { method: 'POST', headers, body })).json();
    return readSolanaTransaction((answer as { result: never }).result);
  }

  it('land as they were promised: token, curve, settings, metadata, first buy, cost', async () => {
    await withSeed('genuine creates', async (random) => {
      const creates = scaled(200, 10);
      const met = { bought: 0, bare: 0, own: 0, made: 0 };
      for (let n = 0; n < creates || Math.min(...Object.values(met)) === 0; n++) {
        expect(n).toBeLessThan(creates + 100);
        const creator = funded(200n * SOL);
        const mint = random.chance(0.5) ? new SeededKey(`genuine mint ${n} of ${creator.address}`) : null;
        const initialBuy = random.chance(0.3) ? 0n : BigInt(1 + random.below(80)) * (SOL + BigInt(n));
        const slippageBps = random.pick([0, 50, 10_000]);
        const fields = { name: `Drift ${n}`, symbol: `DR${n}`, initialBuy: String(initialBuy), slippageBps };
        const body = asked(creator, { ...fields, ...(mint === null ? {} : { mint: mint.address }) });
        const reply = await world.post('/launch/sol', body);
        expect([reply.status, reply.body.error]).toEqual([200, null]);
        const built: LaunchCreated = reply.body.data;
        met[mint === null ? 'made' : 'own']++;
        met[initialBuy === 0n ? 'bare' : 'bought']++;
        const wire = signedCreate(built, mint === null ? [creator] : [creator, mint]);
        expect(readTransaction(wire).keys.slice(0, 3)).toEqual(built.signers.map(({ address }) => address));
        const before = lamports(creator);
        const signature = chain.send(wire);
        chain.slot();
        expect(chain.resultOf(signature)).toBeNull();
        const { networkFee, rent, total } = built.cost;
        expect(before - lamports(creator)).toBe(BigInt(networkFee) + BigInt(rent) + initialBuy);
        expect(BigInt(total)).toBe(before - lamports(creator));
        const pool = readDbcPool(chain.account(built.curve)!.data)!;
        const settings = built.signers[1]!.address;
        expect([pool.baseMint, pool.config]).toEqual([built.address, settings]);
        const config = readDbcConfig(chain.account(settings)!.data)!;
        expect(config).toMatchObject({ cliffFee: 10_000_000n, migrationQuoteThreshold: 85n * SOL, collectFeeMode: 0 });
        const held = amountOf(creator.id, idOf(built.address));
        expect(held).toBe(BigInt(built.buy?.outAmount ?? 0));
        expect(amountOf(creator.id, WRAPPED_MINT)).toBe(0n);
        const supply = Buffer.from(chain.account(built.address)!.data).readBigUInt64LE(36);
        expect(supply).toBe(1_000_000_000_000_000n);
        // What wallets read of the mint, and what our own reading makes of the transaction.
        chain.slot();
        const { name, symbol } = fields;
        expect(metadataOf(built.address)).toEqual([name, symbol, built.metadataUri]);
        const tx = await recorded(signature);
        const steps = launchesIn(tx, meteoraDbc);
        expect(steps).toContainEqual({
          ...{ step: 'created', token: built.address, curve: built.curve, creator: creator.address },
        });
        const legs = legsIn(tx, meteoraDbc);
        expect(legs).toHaveLength(initialBuy === 0n ? 0 : 1);
        if (initialBuy === 0n) continue;
        expect(legs[0]).toMatchObject({ pool: built.curve, inputAmount: initialBuy, outputAmount: held });
        expect(BigInt(built.buy!.minOutAmount)).toBe((held * BigInt(10_000 - slippageBps)) / 10_000n);
      }
    });
  }, 600_000);
});
