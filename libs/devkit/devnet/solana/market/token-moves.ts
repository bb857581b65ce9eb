import { WRAPPED_MINT } from '#programs/client.js';
import { type ListedToken, unitsWorth } from './market-listing.js';
import { type Action, heldBy, missingAccounts, type Scene } from './scene.js';
import { SeededKey } from './seeded-key.js';
import {
  associated,
  closeAccount,
  createAssociated,
  mintTo,
  renounceMinting,
  syncNative,
  transferLamports,
  transferTokens,
} from './token-calls.js';

/** Tokens that change hands without a trade. */
export function transfer(scene: Scene, wallet: SeededKey): Action | null {
  const { random, listing } = scene;
  // Now and then a wallet that was never seen before.
  const to = random.chance(0.2) ? new SeededKey(`tidepool visitor ${random.hex(16)}`) : random.pick(listing.wallets);
  if (random.chance(0.2)) {
    return { payer: wallet, instructions: [transferLamports(wallet.id, to.id, random.fraction(10n ** 9n, 0.01, 20))] };
  }
  const token = random.pick(listing.tokens);
  const amount = random.fraction(heldBy(scene, wallet.id, token), 0.01, 0.4);
  if (amount === 0n || to.id === wallet.id) return null;
  return {
    payer: wallet,
    instructions: [
      createAssociated(wallet.id, to.id, token),
      transferTokens(token, associated(wallet.id, token), associated(to.id, token), wallet.id, amount),
    ],
  };
}

/** Wraps some coins, or unwraps all of them. */
export function wrap(scene: Scene, wallet: SeededKey): Action {
  const { random, listing } = scene;
  const wrapped = listing.tokens.find(({ id }) => id === WRAPPED_MINT) as ListedToken;
  const account = associated(wallet.id, wrapped);
  if (scene.view.exists(account) && random.chance(0.3)) {
    return { payer: wallet, instructions: [closeAccount(account, wallet.id)] };
  }
  const lamports = random.fraction(10n ** 9n, 0.5, 30);
  return {
    payer: wallet,
    instructions: [
      ...missingAccounts(scene, wallet.id, [wrapped]),
      transferLamports(wallet.id, account, lamports),
      syncNative(account),
    ],
  };
}

/** The deployer mints some more of a token that it may mint. */
export function issue(scene: Scene, wallet: SeededKey): Action | null {
  const { random, listing, view } = scene;
  const mintable = listing.tokens.filter(({ id }) => view.hasMintAuthority(id));
  if (mintable.length === 0) return null;
  const token = random.pick(mintable);
  const amount = unitsWorth(2_000 * 10 ** random.next(), token.plan.usd, token.decimals);
  const { deployer } = listing;
  return {
    payer: deployer,
    instructions: [
      createAssociated(deployer.id, wallet.id, token),
      mintTo(token, associated(wallet.id, token), deployer.id, amount),
    ],
  };
}

/** The deployer gives up minting the tokens whose plan says so. */
export function renounceLater(scene: Pick<Scene, 'listing' | 'view'>): Action | null {
  const { listing, view } = scene;
  const due = listing.tokens.filter(({ plan, id }) => plan.mintAuthority === 'later' && view.hasMintAuthority(id));
  if (due.length === 0) return null;
  const { deployer } = listing;
  return { payer: deployer, instructions: due.map((token) => renounceMinting(token, deployer.id)) };
}
