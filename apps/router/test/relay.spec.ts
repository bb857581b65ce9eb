import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keypair, PublicKey } from '@solana/web3.js';
import { NodePools } from '#libs/chain/chains/rpc/node-pools.js';
import { encodeBase58 } from '#libs/core/base58.js';
import { type LocalSolana, startLocalSolana } from '#libs/devkit/devnet/solana/local-solana.js';
import { removeFolderSync } from '#libs/devkit/testing/remove-folder.js';
import { BundleRelay } from '../src/relay/bundle-relay.js';
import { readKeyFile, TipSponsor } from '../src/relay/tip-sponsor.js';
import { createRelay } from './create-hosts.js';
import { signedTransfer } from './signed-transfer.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const TIP = 10_000;

/** The relay's listener over a local chain, which takes bundles as a block engine does. */
describe('the bundle relay', () => {
  let chain: LocalSolana;
  const closers: (() => Promise<unknown>)[] = [];
  const sponsorKey = Keypair.generate();
  const sponsor = new TipSponsor(sponsorKey.secretKey.subarray(0, 32));
  const wallets = Array.from({ length: 6 }, () => Keypair.generate());

  beforeAll(async () => {
    chain = await startLocalSolana({ confirmedDepth: 0 });
    for (const { publicKey } of [...wallets, sponsorKey]) chain.airdrop(publicKey.toBase58(), 1_000_000_000n);
    chain.slot();
  });
  afterAll(async () => {
    for (const close of closers) await close();
    await chain.stop();
  });

  async function listen(open: (relay: BundleRelay) => void): Promise<string> {
    const relay = new BundleRelay('sol', TIP, silent, new NodePools());
    open(relay);
    const running = await createRelay(relay, { accounts: null, logger: silent, version: '1.2.3' });
    closers.push(
      () => running.close(),
      () => relay.close(),
    );
    return running.url;
  }
  const target = () => ({ upstream: chain.rpcUrl, rpcUrls: [chain.rpcUrl], sponsor });

  /** To a new account where none is named. */
  const transfer = (from: Keypair, to: PublicKey | null, lamports: number): Uint8Array =>
    signedTransfer(chain, from, to ?? Keypair.generate().publicKey, lamports);
  const base58 = (wires: readonly Uint8Array[]) => ({ transactions: wires.map((wire) => encodeBase58(wire)) });
  const send = async (url: string, body: unknown) => {
    const response = await fetch(`${url}/bundle`, { method: 'POST', body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as Record<string, never> };
  };
  const balance = (address: string): bigint => chain.account(address)?.lamports ?? 0n;
  const refused = (status: number, code: string, message: RegExp) => ({
    status,
    body: { success: false, error: { code, message: expect.stringMatching(message) } },
  });

  it('lands a bundle whole and pays its tip, in either encoding', async () => {
    const url = await listen((relay) => relay.open(target()));
    for (const encoding of ['base58', 'base64'] as const) {
      const to = [0, 1, 2, 3].map(() => Keypair.generate().publicKey);
      const wires = to.map((key, index) => transfer(wallets[index]!, key, 5_000_000 + index));
      const [paid, tips] = [balance(sponsor.address), balance(chain.faucet)];
      const texts =
        encoding === 'base58' ? base58(wires).transactions : wires.map((wire) => Buffer.from(wire).toString('base64'));
      const answer = await send(url, { transactions: texts, encoding });
      expect(answer).toEqual({
        status: 200,
        body: { success: true, bundle_id: expect.stringMatching(/^[0-9a-f]{64}$/) },
      });
      const { signatures } = chain.slot();
      expect(signatures).toHaveLength(5);
      expect(to.map((key) => balance(key.toBase58()))).toEqual([5_000_000n, 5_000_001n, 5_000_002n, 5_000_003n]);
      expect(balance(chain.faucet) - tips).toBe(BigInt(TIP));
      expect(paid - balance(sponsor.address)).toBe(BigInt(TIP) + 5_000n);
    }
  });

  it('adds no tip to a bundle that pays one, which may have five transactions then', async () => {
    const url = await listen((relay) => relay.open(target()));
    const paid = balance(sponsor.address);
    const to = Array.from({ length: 4 }, () => Keypair.generate().publicKey);
    const wires = to.map((key, index) => transfer(wallets[index]!, key, 3_000_000));
    const tip = transfer(wallets[4]!, new PublicKey(chain.faucet), 2_000);
    expect((await send(url, base58([...wires, tip]))).status).toBe(200);
    expect(chain.slot().signatures).toHaveLength(5);
    expect(balance(sponsor.address)).toBe(paid);
    const five = Array.from({ length: 5 }, (_, index) => transfer(wallets[index]!, null, 3_000_000));
    expect(await send(url, base58(five))).toEqual(refused(400, 'bad_request', /at most 4 without a tip/));
  });

  it('lands nothing of a bundle of which one transaction fails', async () => {
    const url = await listen((relay) => relay.open(target()));
    const to = Keypair.generate().publicKey;
    const good = transfer(wallets[0]!, to, 4_000_000);
    const bad = transfer(wallets[1]!, null, 900_000_000_000);
    const paid = balance(sponsor.address);
    expect((await send(url, base58([good, bad]))).status).toBe(200);
    expect(chain.slot().signatures).toEqual([]);
    expect(balance(to.toBase58())).toBe(0n);
    expect(balance(sponsor.address)).toBe(paid);
  });

  it('refuses what is no bundle of signed transactions, and names the transaction', async () => {
    const url = await listen((relay) => relay.open(target()));
    const good = transfer(wallets[0]!, null, 4_000_000);
    const unsigned = Uint8Array.from(good).fill(0, 1, 65);
    const forged = Uint8Array.from(good);
    forged[forged.length - 1]! ^= 1;
    const other = transfer(wallets[1]!, null, 4_000_001);
    const cases: [unknown, RegExp][] = [
      [{}, /transactions must be a list of 1 to 5/],
      [{ transactions: [] }, /list of 1 to 5/],
      [base58(Array.from({ length: 6 }, (_, index) => transfer(wallets[index]!, null, 3_000_000))), /list of 1 to 5/],
      [{ transactions: [7] }, /transactions\[0\] must be text/],
      [{ ...base58([good]), encoding: 'hex' }, /encoding must be base58 or base64/],
      [{ transactions: [Buffer.from(good).toString('base64')] }, /transactions\[0\] is not base58/],
      [{ transactions: [`${encodeBase58(good)}!`], encoding: 'base64' }, /transactions\[0\] is not base64/],
      [base58([other, good.subarray(0, 100)]), /transactions\[1\] is no transaction/],
      [base58([other, unsigned]), /transactions\[1\] is not signed by/],
      [base58([forged]), /transactions\[0\] has a signature that is not valid by/],
      [base58([good, other, good]), /transactions\[2\] is the same as transactions\[0\]/],
    ];
    for (const [body, message] of cases) expect(await send(url, body)).toEqual(refused(400, 'bad_request', message));
    expect(chain.slot().signatures).toEqual([]);
  });

  it('says what is missing: a block engine, a key that pays tips, an engine that answers', async () => {
    const good = () => base58([transfer(wallets[0]!, null, 4_000_000)]);
    const closed = await listen(() => undefined);
    expect(await send(closed, good())).toEqual(refused(503, 'not_ready', /TIDEPOOL_RELAY_UPSTREAM/));
    const poor = await listen((relay) => relay.open({ ...target(), sponsor: null }));
    expect(await send(poor, good())).toEqual(refused(503, 'not_ready', /TIDEPOOL_RELAY_TIP_KEY_FILE/));
    const tip = transfer(wallets[0]!, new PublicKey(chain.faucet), 2_000);
    expect((await send(poor, base58([tip]))).status).toBe(200);
    chain.slot();
    const secret = 'http://127.0.0.1:1/key/0123456789abcdef';
    const away = await listen((relay) => relay.open({ ...target(), upstream: secret }));
    expect(await send(away, good())).toEqual(
      refused(503, 'upstream_unavailable', /^no node of sol answered: try again$/),
    );
    const health = await fetch(`${closed}/health`);
    expect(await health.json()).toEqual({ status: 'ok', version: '1.2.3' });
    expect((await fetch(`${closed}/bundle`)).status).toBe(405);
    expect(await (await fetch(`${closed}/nothing`)).json()).toMatchObject({
      success: false,
      error: { code: 'not_found' },
    });
  });

  it('reads the key that pays tips from a file of the Solana command line', () => {
    const dir = mkdtempSync(join(tmpdir(), 'tidepool-relay-'));
    try {
      const file = join(dir, 'id.json');
      writeFileSync(file, JSON.stringify([...sponsorKey.secretKey]));
      expect(new TipSponsor(readKeyFile(file, 'X')).address).toBe(sponsorKey.publicKey.toBase58());
      writeFileSync(file, JSON.stringify([...sponsorKey.secretKey].reverse()));
      expect(() => readKeyFile(file, 'X')).toThrow('X: the two halves');
      writeFileSync(file, '[1,2,3]');
      expect(() => readKeyFile(file, 'X')).toThrow('X: the file holds no list of 64 bytes');
      expect(() => readKeyFile(join(dir, 'none'), 'X')).toThrow('X: the file cannot be read');
    } finally {
      removeFolderSync(dir);
    }
  });
});
