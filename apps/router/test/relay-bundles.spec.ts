import { setTimeout as delay } from 'node:timers/promises';
import { Keypair, type PublicKey } from '@solana/web3.js';
import { NodePools } from '#libs/chain/chains/rpc/node-pools.js';
import { encodeBase58 } from '#libs/core/base58.js';
import { type LocalSolana, startLocalSolana } from '#libs/devkit/devnet/solana/local-solana.js';
import { CutProxy } from '#libs/devkit/testing/cut-proxy.js';
import { SeededRandom, scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import { BundleRelay } from '../src/relay/bundle-relay.js';
import { readBundle } from '../src/relay/read-bundle.js';
import { TipSponsor } from '../src/relay/tip-sponsor.js';
import { signedTransfer } from './signed-transfer.js';

/**
 * Many bundles at once over a line to the block engine that breaks again and again. Each lands whole or not at all, those that were
 * answered with an id land where no transaction of theirs fails, and the relay's key pays one tip for each that landed.
 */
describe('bundles over a line that breaks', () => {
  const TIP = 10_000n;
  const FEE = 5_000n;
  const LAMPORTS = 1_000_000;
  const wallets = Array.from({ length: 8 }, () => Keypair.generate());
  const sponsor = new TipSponsor(Keypair.generate().secretKey.subarray(0, 32));
  let chain: LocalSolana;
  let line: CutProxy;
  let relay: BundleRelay;

  beforeAll(async () => {
    chain = await startLocalSolana({ confirmedDepth: 0 });
    for (const { publicKey } of wallets) chain.airdrop(publicKey.toBase58(), 10_000_000_000n);
    chain.airdrop(sponsor.address, 1_000_000_000n);
    chain.slot();
    line = await CutProxy.open(chain.rpcUrl);
    relay = new BundleRelay('sol', Number(TIP), { warn: () => undefined }, new NodePools());
    relay.open({ upstream: line.url, rpcUrls: [chain.rpcUrl], sponsor });
  });
  afterAll(async () => {
    await relay.close();
    await line.close();
    await chain.stop();
  });

  const balance = (address: string): bigint => chain.account(address)?.lamports ?? 0n;

  interface Bundle {
    readonly to: readonly PublicKey[];
    readonly fails: boolean;
    readonly wires: string[];
  }

  /** Transfers to new accounts, of which the one at `bad` asks for more than the wallet has. */
  function randomBundle(random: SeededRandom): Bundle {
    const to = Array.from({ length: random.int(1, 4) }, () => Keypair.generate().publicKey);
    const bad = random.chance(0.2) ? random.below(to.length) : -1;
    const wires = to.map((toPubkey, index) => {
      const from = random.pick(wallets);
      const lamports = index === bad ? 900_000_000_000 : LAMPORTS;
      return encodeBase58(signedTransfer(chain, from, toPubkey, lamports));
    });
    return { to, fails: bad >= 0, wires };
  }

  const seen = { landed: 0, failed: 0, lost: 0, unanswered: 0 };

  it('lands each of 300 whole or not at all', () =>
    withSeed('bundles', async (random) => {
      const rounds = scaled(30, 6);
      for (let round = 0; round < rounds; round++) {
        const paid = balance(sponsor.address);
        const bundles = Array.from({ length: 10 }, () => randomBundle(random));
        const sent = Promise.allSettled(
          bundles.map(async ({ wires }) => {
            await delay(random.below(20));
            return relay.send(readBundle({ transactions: wires }));
          }),
        );
        for (let cuts = random.below(4); cuts > 0; cuts--) {
          await delay(random.below(10));
          line.cut();
          await delay(random.below(30));
          line.mend();
        }
        const answers = await sent;
        chain.slot();
        let landed = 0n;
        for (const [index, { to, fails }] of bundles.entries()) {
          const got = to.map((key) => balance(key.toBase58()));
          const whole = got.every((lamports) => lamports === BigInt(LAMPORTS));
          const isAnswered = answers[index]!.status === 'fulfilled';
          expect({ round, index, got, whole: whole || got.every((lamports) => lamports === 0n) }).toMatchObject({
            whole: true,
          });
          // Of one that was not answered the sender does not know.
          if (fails || isAnswered) expect({ round, index, landed: whole }).toEqual({ round, index, landed: !fails });
          if (whole) landed++;
          if (whole) seen.landed++;
          else if (fails) seen.failed++;
          else seen.lost++;
          if (whole && !isAnswered) seen.unanswered++;
        }
        expect(paid - balance(sponsor.address)).toBe(landed * (TIP + FEE));
      }
      console.log(JSON.stringify(seen));
      expect(seen.landed).toBeGreaterThan(10);
      expect(seen.failed).toBeGreaterThan(0);
    }));
});
