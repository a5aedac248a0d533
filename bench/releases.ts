/** A thousand reviews that end at the same moment, released and paid out by one process: within a minute. */
import { releaseMany } from '../test/orders/release-many.ts';

const ORDERS = 1_000;
const LIMIT_SECONDS = 60;

const seconds = await releaseMany(ORDERS, LIMIT_SECONDS);
console.log(`releases: ${ORDERS} in ${seconds.toFixed(1)} s (${LIMIT_SECONDS} allowed), ${Math.round(ORDERS / seconds)} a second`);
