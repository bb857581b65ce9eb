import { createRequire } from 'node:module';
import type { PublicKey } from '@solana/web3.js';
import BN from 'bn.js';
import { scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import { bufferOf, TOKEN_PROGRAM_ID, WRAPPED_MINT } from '#programs/client.js';
import { encodeTransaction } from '../../../solana/transaction/v1-transaction.js';
import { BLOCKHASH, FakeNode, LIMITS } from '../test/fake-node.js';
import { key, ours, plain, randomId } from '../test/sdk-instruction.js';
import { coinsOf, wrappedBuy } from '../wrapped-buy.js';
import { solanaRaydiumLaunchlab } from './builder.js';
import { buyExactIn, CONFIG, initializeV2, LAUNCHLAB, launchlabCurve, PLATFORM } from './instructions.js';

/** LaunchLab's instructions equal those of Raydium's published SDK byte for byte; its builder puts these into one transaction. */
const sdk = createRequire(import.meta.url)('@raydium-io/raydium-sdk-v2');
const program: PublicKey = sdk.LAUNCHPAD_PROGRAM;
const { LaunchpadPoolInitParam: defaults } = sdk;
const coin = key(WRAPPED_MINT);
const config: PublicKey = sdk.getPdaLaunchpadConfigId(program, coin, 0, 0).publicKey;
const platform: PublicKey = defaults.platformId;
const authority: PublicKey = sdk.getPdaLaunchpadAuth(program).publicKey;
const zero = new BN(0);
const tokens = key(TOKEN_PROGRAM_ID);

function theirsOf(mint: string) {
  const id: PublicKey = sdk.getPdaLaunchpadPoolId(program, key(mint), coin).publicKey;
  const vault = (of: PublicKey): PublicKey => sdk.getPdaLaunchpadVaultId(program, id, of).publicKey;
  return { id, vaults: [vault(key(mint)), vault(coin)], metadata: sdk.getPdaMetadataKey(key(mint)).publicKey };
}

interface Limits {
  settings: boolean;
  curves: boolean;
}

function theirCreate(mint: string, creator: string, texts: readonly string[], { settings, curves }: Limits) {
  const { id, vaults, metadata } = theirsOf(mint);
  const { supply, totalSellA, totalFundRaisingB, decimals } = defaults;
  return ours(
    sdk.initializeV2(
      ...[program, key(creator), key(creator), config, platform, authority, id, key(mint), coin, ...vaults, metadata],
      ...[tokens, decimals, ...texts],
      { type: 'ConstantCurve', totalSellA, supply, totalFundRaisingB, migrateType: 'cpmm' },
      ...[zero, zero, zero, sdk.CpmmCreatorFeeOn.OnlyTokenB],
      settings ? sdk.getPdaPlatformAllowConfig(program, platform, config).publicKey : undefined,
      curves ? sdk.getPdaPlatformCurveRule(program, platform, config).publicKey : undefined,
    ),
  );
}

function theirBuy(mint: string, creator: string, lamports: bigint, least: bigint) {
  const { id, vaults } = theirsOf(mint);
  const account = (of: PublicKey) => sdk.getATAAddress(key(creator), of, tokens).publicKey;
  return ours(
    sdk.buyExactInInstruction(
      ...[program, key(creator), authority, config, platform, id, account(key(mint)), account(coin), ...vaults],
      ...[key(mint), coin, tokens, tokens],
      sdk.getPdaPlatformVault(program, platform, coin).publicKey,
      sdk.getPdaCreatorVault(program, key(creator), coin).publicKey,
      ...[new BN(lamports.toString()), new BN(least.toString())],
    ),
  );
}

const plainKey = (id: PublicKey): string => id.toBuffer().toString('hex');

it('instructions are those of the SDK', async () => {
  expect([LAUNCHLAB, CONFIG, PLATFORM]).toEqual([program, config, platform].map(plainKey));
  await withSeed('LaunchLab', async (random) => {
    for (let n = 0; n < scaled(200, 20); n++) {
      const [mint, creator] = [randomId(random), randomId(random)] as const;
      const [name, symbol, uri] = ['Né 🌊', 'TIDE', `https://router.example.com/${n}`] as const;
      const limits = { settings: random.chance(0.5), curves: random.chance(0.5) };
      const curve = launchlabCurve(mint);
      expect(plain(initializeV2(curve, { creator, name, symbol, uri }, limits))).toEqual(
        plain(theirCreate(mint, creator, [name, symbol, uri], limits)),
      );
      const lamports = BigInt(random.below(2 ** 30)) * BigInt(random.below(2 ** 30));
      const least = BigInt(random.below(2 ** 30));
      expect(plain(buyExactIn(curve, creator, lamports, least))).toEqual(
        plain(theirBuy(mint, creator, lamports, least)),
      );
    }
  });
});

describe('a create', () => {
  let node: FakeNode;
  beforeAll(async () => {
    node = await FakeNode.start();
  });
  afterAll(() => node.close());
  beforeEach(() => node.there.clear());

  /** The platform's account as the SDK's own layout lays it out. */
  function stands(limits: Limits): void {
    const { PlatformConfig } = sdk;
    const data = Buffer.alloc(PlatformConfig.span);
    data[PlatformConfig.offsetOf('restrictGlobalConfig')] = limits.settings ? 1 : 0;
    data[PlatformConfig.offsetOf('restrictCurveParam')] = limits.curves ? 1 : 0;
    node.there.set(PLATFORM, data);
    node.there.set(CONFIG, Buffer.alloc(sdk.LaunchpadConfig.span));
  }

  it('is the SDK’s instructions in one v1 transaction, with what the platform wants to see', async () => {
    const { creator, mint, given } = node;
    const texts = ['Spring Tide', 'TIDE', 'https://x.example.com/y'];
    let built = 0;
    for (const settings of [false, true]) {
      for (const curves of [false, true]) {
        for (const [initialBuy, keepsCoins] of [
          [0n, false],
          [1_000_000_000n, false],
          [1_000_000_000n, true],
        ] as const) {
          node.there.clear();
          stands({ settings, curves });
          if (keepsCoins) node.there.set(coinsOf(creator.id), Buffer.alloc(165));
          const answer = await node.build(solanaRaydiumLaunchlab, initialBuy);
          const create = theirCreate(mint.id, creator.id, texts, { settings, curves });
          const swap = theirBuy(mint.id, creator.id, initialBuy, (given * 99n) / 100n);
          const buy = wrappedBuy({ creator: creator.id, mint: mint.id, lamports: initialBuy, keepsCoins }, swap);
          const all = initialBuy === 0n ? [create] : [create, ...buy];
          const { bytes } = encodeTransaction(creator.id, all, LIMITS, bufferOf(BLOCKHASH));
          expect(answer.transactions).toEqual([bytes.toString('base64')]);
          expect(answer.signers.map(({ address }) => address)).toEqual([creator.address, mint.address]);
          built++;
        }
      }
    }
    expect(built).toBe(12);
  });

  it('is refused where the coins are missing', async () => {
    stands({ settings: false, curves: false });
    await expect(node.build(solanaRaydiumLaunchlab, node.held)).rejects.toMatchObject({
      ...{ status: 422, code: 'insufficient_funds' },
    });
    expect(node.tried).toEqual([]);
  });

  it('is refused where the platform is not there', async () => {
    await expect(node.build(solanaRaydiumLaunchlab, 0n)).rejects.toMatchObject({ status: 501, code: 'not_wired' });
    stands({ settings: false, curves: false });
    node.there.delete(CONFIG);
    await expect(node.build(solanaRaydiumLaunchlab, 0n)).rejects.toMatchObject({ status: 501, code: 'not_wired' });
  });
});
