import { heapHarness, mutationChecks, stateContract } from './test/state-contract.js';

stateContract('heap', 100, heapHarness);
mutationChecks(heapHarness);
