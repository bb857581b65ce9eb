import { Route } from '#libs/http/declared-route.js';
import { declareRoute } from '#libs/http/route-declaration.js';
import { SwapRoute, swapDeclaration } from './swap.route.js';

const declaration = declareRoute({
  ...swapDeclaration,
  id: 'buildEvmSwapInstructions',
  path: '/evm/swap-instructions',
  summary: 'Another path of /evm/swap',
});

@Route(declaration)
export class SwapInstructionsRoute extends SwapRoute {}
