import { keyedContract } from '#libs/devkit/testing/histories/keyed-contract.js';
import { venueVolumes } from './projection.js';
import { naiveVolumes } from './test/oracle.js';

keyedContract(venueVolumes, naiveVolumes);
