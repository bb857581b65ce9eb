import { RouteFeature } from '#libs/serve/http/route-feature.js';
import { SOLANA_CHAIN } from '../../tokens.js';
import type { SolanaChain } from '../ports.js';
import { TransactionRoute, TransactionsRoute } from './transaction.route.js';
import { TransactionService } from './transaction-service.js';

const service = {
  provide: TransactionService,
  inject: [SOLANA_CHAIN],
  useFactory: (chain: SolanaChain) => new TransactionService(chain),
};

/** Unsigned transactions of the caller's own instructions. */
@RouteFeature({ routes: [TransactionRoute, TransactionsRoute], providers: [service] })
export class TransactionsFeature {}
