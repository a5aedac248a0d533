/** Dependencies of this feature. */
import type { OrdersContext } from '../orders/index.ts';

export type BountiesContext = OrdersContext;
