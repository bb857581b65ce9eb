import { keyedContract } from '#libs/devkit/testing/histories/keyed-contract.js';
import { funders } from './projection.js';
import { naiveFunders } from './test/oracle.js';

keyedContract(funders, naiveFunders, { histories: 40, traders: true });
