/** Everything that a payment can buy, by the purpose that is stored with the payment. */
import { hire } from './hire/hire.ts';
import type { Product, Purpose } from './product.ts';
import { registration } from './registration/registration.ts';

export const products: Readonly<Record<Purpose, Pick<Product<never, unknown>, 'record' | 'giveBack'>>> = { x402: hire, registration };
