import { Clanker } from 'clanker-sdk/v4';
import { encodeFunctionData, getAddress, type Hex } from 'viem';
import { base } from '#libs/chain/catalogue/test/chain-specs.js';
import { type SeededRandom, scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import type { CreateOrder } from '../../ports.js';
import { evmClanker } from './builder.js';
import { deployToken } from './deploy-token.js';

/** The factory's call equals that of Clanker's published SDK byte for byte. */
const randomHex = (random: SeededRandom, bytes: number): string =>
  Array.from({ length: bytes }, () => random.below(256).toString(16).padStart(2, '0')).join('');

const LINKS = { twitter: 'https://x.com/tide', telegram: 'https://t.me/tide', website: 'https://tide.example.com/' };
type LinkName = keyof typeof LINKS;

function randomOrder(random: SeededRandom): CreateOrder {
  const names = (Object.keys(LINKS) as LinkName[]).filter(() => random.chance(0.5));
  return {
    ...{ chain: base, creator: randomHex(random, 20), mint: null, slippageBps: 50, uri: 'https://r.example.com/x' },
    ...{ name: random.pick(['Tide', 'Né 🌊', 'a"b\\c']), symbol: `T${random.below(1_000)}` },
    description: random.pick(['', 'Comes\nand "goes"', 'x'.repeat(1_000)]),
    image: `https://example.com/${'p'.repeat(random.below(200))}.png`,
    links: Object.fromEntries(names.map((name) => [name, LINKS[name]])),
    // As many 1,024ths of a coin as the SDK's number holds exactly.
    initialBuy: random.chance(0.3) ? 0n : (BigInt(1 + random.below(2_000)) * 10n ** 18n) / 1_024n,
  };
}

async function theirs(order: CreateOrder, salt: Hex) {
  const { name, symbol, image, description, links, initialBuy } = order;
  const socialMediaUrls = Object.entries(links).map(([platform, url]) => ({ platform, url }));
  const metadata = { ...(description && { description }), ...(socialMediaUrls.length > 0 && { socialMediaUrls }) };
  return new Clanker().getDeployTransaction({
    ...{ name, symbol, image, salt, chainId: 8453, tokenAdmin: getAddress(`0x${order.creator}`) },
    ...(Object.keys(metadata).length > 0 && { metadata }),
    context: { interface: 'Tidepool' },
    ...(initialBuy > 0n && { devBuy: { ethAmount: Number(initialBuy) / 1e18 } }),
  });
}

it('the call is that of the SDK', async () => {
  await withSeed('clanker', async (random) => {
    for (let n = 0; n < scaled(200, 20); n++) {
      const [order, salt] = [randomOrder(random), `0x${randomHex(random, 32)}` as Hex];
      const { address, abi, functionName, args, value } = await theirs(order, salt);
      const factory = base.launchContracts.find(({ launchpad }) => launchpad === evmClanker.platform)!;
      expect(address.toLowerCase()).toBe(`0x${factory.address}`);
      expect(value).toBe(order.initialBuy);
      expect(deployToken(order, salt)).toBe(encodeFunctionData({ abi, functionName, args } as never));
    }
  });
});
