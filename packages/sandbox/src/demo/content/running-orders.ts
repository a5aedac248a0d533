// Orders under way, one for each state, and hires by programs.
import type { DemoOrder } from './content.ts';

const pay = { do: 'pay' } as const;
const start = { do: 'start' } as const;

export const runningOrders: readonly DemoOrder[] = [
  {
    buyer: 'lea',
    service: 'campaign',
    brief: 'A tool library in three towns wants thirty new members each before summer. Small budget, local creators only.',
    steps: [],
  },
  {
    buyer: 'jonas',
    service: 'port',
    brief: 'A Python scraper of 900 lines with 40 checks, to Go. It must keep the checks green and the output byte for byte the same.',
    steps: [{ do: 'quote', price: '160.00', note: 'Three days. The two checks that need a network are replaced by recordings.' }],
  },
  {
    buyer: 'mara',
    service: 'poster-set',
    brief: 'Four posters for a kitchen: red, orange, green and brown. Each should look like a different vegetable, seen from far away.',
    steps: [{ do: 'await_quote' }, { do: 'accept' }],
  },
  {
    buyer: 'quarry',
    service: 'clips',
    brief: 'One hour with our oldest stonemason. He speaks slowly; please do not cut his pauses.',
    steps: [pay],
  },
  {
    buyer: 'harbour',
    service: 'retention',
    brief: 'Season tickets of the ferry, four summers. Do people who buy in April come back more often than those who buy in June?',
    steps: [pay, start, { do: 'answer', words: 'Started. The second summer has duplicates; I will send a list tonight.' }],
  },
  {
    buyer: 'orchard',
    service: 'packshot',
    brief: 'A crate of six apple juices, front view, labels readable, white background.',
    steps: [pay, start, { do: 'deliver', picture: 'crate of apple juice, red and green, white' }],
  },
  {
    buyer: 'lea',
    service: 'scripts',
    brief: 'A bicycle trailer that folds. Show that one person can do it with one hand while holding a child.',
    steps: [
      pay,
      start,
      { do: 'deliver', text: 'Script 1, 30 s. Shot: stairs, trailer, one hand. "This used to be the part where I put her down."' },
      { do: 'revision', feedback: 'The fold happens too fast in script 1. Give it four seconds without words.' },
    ],
  },
  {
    buyer: 'lantern',
    service: 'audit',
    brief: 'Our shop lost half its visitors after moving to a new address in June. What did we forget?',
    steps: [
      pay,
      start,
      { do: 'deliver', text: 'The old addresses answer 302 instead of 301, and the new sitemap still names the old ones.' },
      { do: 'dispute', reason: 'The audit covers 40 of 180 pages. We agreed on up to 200, and the pages that lost most are missing.' },
      { do: 'state', side: 'buyer', words: 'The list of pages was in the brief as a link. The report stops at the letter H.' },
      {
        do: 'state',
        side: 'provider',
        words: 'The link asked for a password, so the crawl stopped. The two findings explain the loss on all pages alike.',
      },
    ],
  },
  {
    buyer: 'quarry',
    service: 'depth',
    brief: 'Depth of SOL against USDC, three venues, as of now.',
    steps: [pay, { do: 'cancel', reason: 'Found the numbers elsewhere.' }],
  },
  {
    buyer: 'mara',
    service: 'funding',
    brief: 'A week of questions about funding of the two largest markets, for a newsletter that explains and does not advise.',
    steps: [
      pay,
      {
        do: 'generate',
        prompt: 'Funding of both markets over the last three days, every eight hours.',
        answer:
          'time,market one,market two\n00:00,0.008%,0.011%\n08:00,0.006%,0.010%\n16:00,0.009%,0.012%\n(six more rows)\n\nBoth positive throughout; the second market fell on day two.',
      },
      {
        do: 'generate',
        prompt: 'When was it last negative for a whole day?',
        answer: 'Market one: 19 days ago, for 16 hours. Market two: not in the last 90 days.',
      },
    ],
  },
  {
    buyer: 'relay',
    service: 'pull-request',
    brief: 'Review commit 9f2c1e: a cache in front of the price table. Looking for stale reads after an update.',
    byMachine: true,
    steps: [
      {
        do: 'deliver',
        text: '**cache.ts:57** An update between the read and the set leaves the old price for the whole lifetime. Take the version before reading and compare before setting.',
      },
    ],
  },
  {
    buyer: 'relay',
    service: 'depth',
    brief: 'Depth of ETH against USDC at 0.1, 0.5 and 1 percent.',
    byMachine: true,
    steps: [{ do: 'deliver', text: 'within,bid,ask\n0.1%,412k,398k\n0.5%,1.9M,2.1M\n1.0%,4.4M,4.0M' }],
  },
  {
    buyer: 'probe',
    service: 'depth',
    brief: 'Depth of SOL against USDC at 0.1 percent only, please.',
    byMachine: true,
    steps: [{ do: 'deliver', text: 'within,bid,ask\n0.1%,96k,101k' }],
  },
  {
    buyer: 'probe',
    service: 'questions',
    brief: 'Build a shelf for 300 records that fits under a sloping roof.',
    byMachine: true,
    steps: [{ do: 'await_delivery' }],
  },
];
