import { keccak256Hex } from '#libs/chain/chains/evm/keccak.js';
import type { Hex } from '#libs/core/ids.js';

/** What may be changed of a token by a call. */
export type Right = 'mint' | 'pause' | 'blacklist' | 'tax';
export const RIGHTS: readonly Right[] = ['mint', 'pause', 'blacklist', 'tax'];

const selectorOf = (signature: string): Hex => keccak256Hex(Buffer.from(signature, 'latin1')).slice(0, 8);
const setOf = (signatures: string): ReadonlySet<Hex> => new Set(signatures.trim().split(/\s+/).map(selectorOf));

/** What every trial moves tokens with, and plain reads: nothing more is learned by calling them. */
export const TRADED = setOf(`
  transfer(address,uint256) transferFrom(address,address,uint256) approve(address,uint256) balanceOf(address)
  allowance(address,address) totalSupply() decimals() name() symbol() owner() getOwner()
`);

/** Functions of standards: where one refuses every call that is tried, nothing is suspected behind it. */
export const STANDARD = setOf(`
  increaseAllowance(address,uint256) decreaseAllowance(address,uint256) increaseApproval(address,uint256)
  decreaseApproval(address,uint256) approveAndCall(address,uint256,bytes) transferAndCall(address,uint256,bytes)
  permit(address,address,uint256,uint256,uint8,bytes32,bytes32) nonces(address) DOMAIN_SEPARATOR() eip712Domain()
  burn(uint256) burnFrom(address,uint256) transferOwnership(address) renounceOwnership() acceptOwnership()
  delegate(address) delegateBySig(address,uint256,uint256,uint8,bytes32,bytes32) delegates(address)
  checkpoints(address,uint32) numCheckpoints(address) getPastVotes(address,uint256) getPastTotalSupply(uint256)
  getPriorVotes(address,uint256) getVotes(address) getCurrentVotes(address) supportsInterface(bytes4)
  initialize() initialize(address) initialize(string,string) initialize(string,string,uint8) initialize(string,string,uint256)
  upgradeTo(address) upgradeToAndCall(address,bytes) implementation() proxiableUUID() changeAdmin(address) admin()
  tokenFromReflection(uint256) reflectionFromToken(uint256,bool)
`);

/** Functions whose name says what they change: where one cannot be shown to work or to be closed, that is not known. */
const NAMED: Readonly<Record<Right, ReadonlySet<Hex>>> = {
  mint: setOf(`
    mint(address,uint256) mint(uint256) mint(address) mint() mintTo(address,uint256) issue(uint256) issue(address,uint256)
    _mint(address,uint256) increaseSupply(uint256) mintTokens(address,uint256) mintToken(address,uint256)
    addSupply(uint256) inflate(uint256) crosschainMint(address,uint256) ownerMint(uint256) batchMint(address[],uint256[])
  `),
  pause: setOf(`
    pause() unpause() setPaused(bool) setPause(bool) pauseTrading() stopTrading() setTrading(bool) setTradingEnabled(bool)
    enableTrading(bool) tradingStatus(bool) freeze() halt() disableTransfers() setTransfersEnabled(bool) lock()
  `),
  blacklist: setOf(`
    blacklist(address) blacklist(address,bool) setBlacklist(address,bool) addBlacklist(address) addToBlacklist(address)
    addBlackList(address) blackList(address) blacklistAddress(address,bool) setBlackList(address,bool)
    setBlacklisted(address,bool) setBots(address[]) setBots(address[],bool) addBots(address[]) setBot(address,bool)
    blockBots(address[]) blockAccount(address) freeze(address) freezeAccount(address,bool) ban(address)
    blacklistAccount(address,bool) setIsBlacklisted(address,bool) multiBlacklist(address[],bool)
  `),
  tax: setOf(`
    setFee(uint256) setFees(uint256) setFees(uint256,uint256) setTax(uint256) setTax(uint256,uint256) setTaxes(uint256,uint256)
    setBuyFee(uint256) setSellFee(uint256) setBuyTax(uint256) setSellTax(uint256) setTaxFeePercent(uint256) setTaxFee(uint256)
    setLiquidityFeePercent(uint256) updateFees(uint256,uint256) updateBuyFees(uint256,uint256,uint256)
    updateSellFees(uint256,uint256,uint256) setParams(uint256,uint256) setTransferFee(uint256)
  `),
};

/** What the name of a function says that it changes; null for any other. */
export function namedRight(selector: Hex): Right | null {
  return RIGHTS.find((right) => NAMED[right].has(selector)) ?? null;
}
