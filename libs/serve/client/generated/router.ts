// Made from the declarations of routes and channels by `npm run documents`: not to be edited.
import type { EvmChainsAnswer } from '#libs/serve/contract/rest/evm/chain-body.js';
import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';
import type { EvmQuoteParameters } from '#libs/serve/contract/rest/evm/quote-request.js';
import type { EvmReadyBody } from '#libs/serve/contract/rest/evm/ready-body.js';
import type { EvmReceiptsAnswer } from '#libs/serve/contract/rest/evm/receipt-body.js';
import type { EvmReceiptsQuery } from '#libs/serve/contract/rest/evm/receipt-body.js';
import type { EvmSwapAnswer } from '#libs/serve/contract/rest/evm/swap-body.js';
import type { EvmSwapOfParameters } from '#libs/serve/contract/rest/evm/swap-request.js';
import type { EvmSwapOfQuote } from '#libs/serve/contract/rest/evm/swap-request.js';
import type { EvmVenuesAnswer } from '#libs/serve/contract/rest/evm/venue-body.js';
import type { HealthBody } from '#libs/serve/contract/rest/health-body.js';
import type { LaunchChainAnswer } from '#libs/serve/contract/rest/launch/launch-body.js';
import type { LaunchChainsAnswer } from '#libs/serve/contract/rest/launch/launch-body.js';
import type { LaunchCreatedAnswer } from '#libs/serve/contract/rest/launch/launch-body.js';
import type { LaunchFilePath } from '#libs/serve/contract/rest/launch/launch-body.js';
import type { LaunchMetadata } from '#libs/serve/contract/rest/launch/launch-body.js';
import type { LaunchPath } from '#libs/serve/contract/rest/launch/launch-body.js';
import type { LaunchRequest } from '#libs/serve/contract/rest/launch/launch-request.js';
import type { ReadyBody } from '#libs/serve/contract/rest/health-body.js';
import type { SolQuote } from '#libs/serve/contract/rest/solana/quote-body.js';
import type { SolQuoteParameters } from '#libs/serve/contract/rest/solana/quote-request.js';
import type { SolReceiptsAnswer } from '#libs/serve/contract/rest/solana/receipt-body.js';
import type { SolReceiptsQuery } from '#libs/serve/contract/rest/solana/receipt-body.js';
import type { SolSwapAnswer } from '#libs/serve/contract/rest/solana/swap-body.js';
import type { SolSwapInstructionsAnswer } from '#libs/serve/contract/rest/solana/swap-body.js';
import type { SolSwapRequest } from '#libs/serve/contract/rest/solana/swap-request.js';
import type { SolTransaction } from '#libs/serve/contract/rest/solana/transaction-body.js';
import type { SolTransactionRequest } from '#libs/serve/contract/rest/solana/transaction-body.js';
import type { SolTransactionsAnswer } from '#libs/serve/contract/rest/solana/transaction-body.js';
import type { SolTransactionsRequest } from '#libs/serve/contract/rest/solana/transaction-body.js';
import type { SolVenuesAnswer } from '#libs/serve/contract/rest/solana/venue-body.js';

/** Parameters and answer of every route that answers JSON, by the name of its operation. */
export interface RouterRoutes {
  getHealth: { path: object; query: object; answer: HealthBody };
  getReady: { path: object; query: object; answer: ReadyBody };
  getEvmQuote: { path: object; query: EvmQuoteParameters; answer: EvmQuote };
  postEvmQuote: { path: object; query: object; body: EvmQuoteParameters; answer: EvmQuote };
  buildEvmSwap: { path: object; query: object; body: EvmSwapOfQuote | EvmSwapOfParameters; answer: EvmSwapAnswer };
  buildEvmSwapInstructions: { path: object; query: object; body: EvmSwapOfQuote | EvmSwapOfParameters; answer: EvmSwapAnswer };
  getEvmVenues: { path: object; query: object; answer: EvmVenuesAnswer };
  getEvmChains: { path: object; query: object; answer: EvmChainsAnswer };
  getEvmReceipts: { path: object; query: EvmReceiptsQuery; answer: EvmReceiptsAnswer };
  getEvmHealth: { path: object; query: object; answer: HealthBody };
  getEvmReady: { path: object; query: object; answer: EvmReadyBody };
  getSolQuote: { path: object; query: SolQuoteParameters; answer: SolQuote };
  postSolQuote: { path: object; query: object; body: SolQuoteParameters; answer: SolQuote };
  buildSolSwap: { path: object; query: object; body: SolSwapRequest; answer: SolSwapAnswer };
  buildSolSwapInstructions: { path: object; query: object; body: SolSwapRequest; answer: SolSwapInstructionsAnswer };
  serializeTransaction: { path: object; query: object; body: SolTransactionRequest; answer: SolTransaction };
  serializeTransactions: { path: object; query: object; body: SolTransactionsRequest; answer: SolTransactionsAnswer };
  getSolVenues: { path: object; query: object; answer: SolVenuesAnswer };
  getSolReceipts: { path: object; query: SolReceiptsQuery; answer: SolReceiptsAnswer };
  getLaunch: { path: object; query: object; answer: LaunchChainsAnswer };
  getLaunchChain: { path: LaunchPath; query: object; answer: LaunchChainAnswer };
  createLaunch: { path: LaunchPath; query: object; body: LaunchRequest; answer: LaunchCreatedAnswer };
  getLaunchFile: { path: LaunchFilePath; query: object; answer: LaunchMetadata };
  getLaunchV1: { path: object; query: object; answer: LaunchChainsAnswer };
  getLaunchChainV1: { path: LaunchPath; query: object; answer: LaunchChainAnswer };
  createLaunchV1: { path: LaunchPath; query: object; body: LaunchRequest; answer: LaunchCreatedAnswer };
}

export const routerPaths: Readonly<Record<keyof RouterRoutes, string>> = {
  getHealth: '/health',
  getReady: '/ready',
  getEvmQuote: '/evm/quote',
  postEvmQuote: '/evm/quote',
  buildEvmSwap: '/evm/swap',
  buildEvmSwapInstructions: '/evm/swap-instructions',
  getEvmVenues: '/evm/venues',
  getEvmChains: '/evm/chains',
  getEvmReceipts: '/evm/receipts',
  getEvmHealth: '/evm/health',
  getEvmReady: '/evm/ready',
  getSolQuote: '/quote',
  postSolQuote: '/quote',
  buildSolSwap: '/swap',
  buildSolSwapInstructions: '/swap-instructions',
  serializeTransaction: '/transaction',
  serializeTransactions: '/transactions',
  getSolVenues: '/venues',
  getSolReceipts: '/receipts',
  getLaunch: '/launch',
  getLaunchChain: '/launch/:chain',
  createLaunch: '/launch/:chain',
  getLaunchFile: '/launch/files/:name',
  getLaunchV1: '/v1/launch',
  getLaunchChainV1: '/v1/launch/:chain',
  createLaunchV1: '/v1/launch/:chain',
};
