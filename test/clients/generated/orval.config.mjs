/** orval's two most common outputs of the document: calls, and validators. */
const input = { target: './api.json' };

export default {
  calls: {
    input,
    output: { target: './orval/market.ts', client: 'fetch', mode: 'single', baseUrl: { getBaseUrlFromSpecification: true } },
  },
  validators: { input, output: { target: './orval-zod/market.ts', client: 'zod', mode: 'single' } },
};
