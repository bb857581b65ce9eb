import { scaled } from '#libs/devkit/testing/seeded-random.js';
import { describeInvariants } from './invariant-suite.js';

/** With every projection that there is. */
describeInvariants(scaled(50, 5));
