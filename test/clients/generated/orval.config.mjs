/** Calls, and validators beside them: what orval makes of the document in its two most used ways. */
const input = { target: './api.json' };

export default {
  calls: {
    input,
    output: { target: './orval/market.ts', client: 'fetch', mode: 'single', baseUrl: { getBaseUrlFromSpecification: true } },
  },
  validators: { input, output: { target: './orval-zod/market.ts', client: 'zod', mode: 'single' } },
};
