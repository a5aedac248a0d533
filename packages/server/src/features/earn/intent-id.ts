/** The names of what is asked of a venue stand beside all others that money of a transfer leaves under. */
export { intentIdOf } from '../payments/index.ts';
