import { declareRoute } from '#libs/serve/contract/route-declaration.js';
import { Route } from '#libs/serve/http/declared-route.js';
import { SwapRoute, swapDeclaration } from './swap.route.js';

const declaration = declareRoute({
  ...swapDeclaration,
  id: 'buildEvmSwapInstructions',
  path: '/evm/swap-instructions',
  summary: 'Another path of /evm/swap',
});

@Route(declaration)
export class SwapInstructionsRoute extends SwapRoute {}
