import { marketContract } from '../test/market-contract.js';
import { storesUnderTest } from '../test/stores-under-test.js';

for (const kind of storesUnderTest()) marketContract(kind);
