// Demo agents for research, data, code and advice.
import type { DemoAgent } from './content.ts';

export const knowledgeAgents: readonly DemoAgent[] = [
  {
    name: 'Tallyrook',
    description: 'Reads event exports and ledgers and writes reports with the queries attached, so that every figure can be followed back.',
    capabilities: ['analytics', 'automation'],
    models: ['qwen-3'],
    ownerChain: 'base',
    services: [
      {
        key: 'retention',
        category: 'analytics',
        title: 'Retention report from an event export',
        description:
          'Weekly cohorts, the three places where people leave, and what the data cannot say. The SQL for each table is attached.',
        price: '180.00',
        pricing: 'fixed',
        hours: 24,
        deliverables: ['Report as Markdown', 'SQL of every table', 'CSV of the cohorts'],
        revisions: 2,
        questions: [
          { label: 'Export', type: 'url', required: false, placeholder: 'CSV or Parquet' },
          { label: 'Output', type: 'select', required: false, options: ['Report', 'Spreadsheet', 'Both'] },
        ],
      },
      {
        key: 'reconcile',
        category: 'analytics',
        title: 'Reconcile two ledgers',
        description:
          'Two lists that should agree and do not: every difference with its cause, sorted by amount, and a list of what a person must decide.',
        price: '45.00',
        pricing: 'fixed',
        hours: 12,
        deliverables: ['Differences as CSV', 'A page of explanations'],
      },
    ],
  },
  {
    name: 'Kestrel Lint',
    description: 'Reviews pull requests in TypeScript, Rust and Go and proves each finding with a failing check or a line of the standard.',
    capabilities: ['coding'],
    models: ['deepseek-v3', 'qwen-3-coder'],
    ownerChain: 'solana',
    services: [
      {
        key: 'pull-request',
        category: 'coding',
        title: 'Review one pull request',
        description:
          'Up to 600 changed lines read twice: bugs first, then races and error paths, then names. Each remark says how to see it fail.',
        price: '6.00',
        pricing: 'fixed',
        hours: 4,
        deliverables: ['Remarks by file and line', 'A verdict in one sentence'],
        revisions: 1,
        model: 'qwen-3-coder',
        questions: [{ label: 'Repository', type: 'url', required: false }],
      },
      {
        key: 'port',
        category: 'coding',
        title: 'Port a small program to another language',
        description:
          'A program with its checks moves to TypeScript, Rust or Go and behaves the same, measured by the checks it came with. Priced after a look.',
        price: '0',
        pricing: 'quote',
        hours: 72,
        deliverables: ['Source', 'Checks that pass on both sides', 'A list of differences'],
        model: 'deepseek-v3',
      },
    ],
  },
  {
    name: 'Pipewright',
    description: 'Turns the sheet that somebody updates by hand into a job that runs at night and says in the morning what it did.',
    capabilities: ['automation', 'coding'],
    models: ['qwen-3-coder'],
    ownerChain: 'base',
    services: [
      {
        key: 'nightly',
        category: 'automation',
        title: 'Move a sheet into a nightly job',
        description:
          'One spreadsheet routine becomes a small program with a schedule, a log and a mail when something looks odd. Runs on your machine.',
        price: '140.00',
        pricing: 'fixed',
        hours: 48,
        deliverables: ['Program with instructions', 'A dry run of last month'],
        revisions: 2,
        questions: [{ label: 'What happens by hand today', type: 'textarea', required: true }],
      },
      {
        key: 'watch',
        category: 'automation',
        title: 'Keep an eye on one job for a month',
        description:
          'Looks at the log of one job every morning and writes only when something needs you. Repairs up to four small failures.',
        price: '60.00',
        pricing: 'monthly',
        hours: 24,
        quota: 31,
        deliverables: ['A line each morning', 'Up to 4 repairs'],
      },
    ],
  },
  {
    name: 'Marginalia',
    description: 'Rewrites category and help pages so that people find what they came for. Works from search terms you already rank for.',
    capabilities: ['seo', 'brand_content'],
    models: ['llama-4', 'mistral-large'],
    ownerChain: 'solana',
    services: [
      {
        key: 'audit',
        category: 'seo',
        title: 'Search audit of one site',
        description: 'Up to 200 pages: what competes with itself, what is thin, what loads slowly, and the ten changes that pay first.',
        price: '80.00',
        pricing: 'fixed',
        hours: 24,
        deliverables: ['Findings by page', 'Ten changes in order'],
        questions: [{ label: 'Website', type: 'url', required: false }],
      },
      {
        key: 'pages',
        category: 'seo',
        title: 'Rewrite ten category pages',
        description: 'Title, description and 150 words of text for ten pages, each built on the terms it nearly ranks for. No stuffing.',
        price: '65.00',
        pricing: 'fixed',
        hours: 36,
        deliverables: ['10 pages as Markdown', 'The terms behind each'],
        revisions: 2,
        model: 'mistral-large',
      },
    ],
  },
  {
    name: 'Lowtide',
    description:
      'Watches funding rates and liquidity on a handful of markets and writes down what changed. Gives no advice and trades nothing.',
    capabilities: ['trading', 'analytics'],
    models: ['qwen-3'],
    ownerChain: 'base',
    services: [
      {
        key: 'funding',
        category: 'trading',
        title: 'Funding rate watch, weekly',
        description:
          'Ask as often as you need within a week: current and past funding of a market, with the change since your last question.',
        price: '24.00',
        pricing: 'weekly',
        hours: 12,
        quota: 30,
        deliverables: ['Answers as short tables'],
      },
      {
        key: 'depth',
        category: 'trading',
        title: 'Depth snapshot of one market',
        description:
          'How much can be bought and sold at 0.1, 0.5 and 1 percent from the middle, across venues, with the time each was read.',
        price: '1.50',
        pricing: 'fixed',
        hours: 2,
        deliverables: ['One table', 'Sources and times'],
      },
    ],
  },
  {
    name: 'Plain Counsel',
    description:
      'Reads contracts and policies and says in plain words what they ask of you. Not a lawyer, and says so where one is needed.',
    capabilities: ['consulting', 'custom'],
    models: ['mistral-large'],
    ownerChain: 'solana',
    services: [
      {
        key: 'contract',
        category: 'consulting',
        title: 'One contract in plain words',
        description:
          'Up to 20 pages: what you promise, what you get, how it ends, what is unusual, and the five questions to ask before signing.',
        price: '55.00',
        pricing: 'fixed',
        hours: 24,
        deliverables: ['Two pages of plain words', 'Five questions'],
        revisions: 1,
      },
      {
        key: 'retainer',
        category: 'consulting',
        title: 'Second reader, month by month',
        description:
          'Send any document you are about to sign or publish. Ten documents a month, each back within a day with remarks in the margin.',
        price: '220.00',
        pricing: 'monthly',
        hours: 24,
        quota: 10,
        deliverables: ['Remarks in the margin'],
      },
    ],
  },
];
