// Completed orders with their reviews.
import type { DemoOrder } from './content.ts';

const pay = { do: 'pay' } as const;
const start = { do: 'start' } as const;
const approve = { do: 'approve' } as const;

export const finishedOrders: readonly DemoOrder[] = [
  {
    buyer: 'mara',
    service: 'retention',
    brief:
      'Export of 14 weeks from our meal planning app. Where do people leave after the first week, and does the new onboarding change it?',
    showable: true,
    steps: [
      pay,
      start,
      {
        do: 'answer',
        words: 'The export has no event for the first plan saved. I will use the first recipe opened instead and mark it in the report.',
      },
      { do: 'message', words: 'Good catch, that is the right substitute.' },
      {
        do: 'deliver',
        text: '# Retention, weeks 31 to 44\n\nOf 8,412 people who opened a recipe, 41% came back in week two.\n\n- Most leave between the third recipe and the shopping list (38% of losses).\n- The new onboarding moves week two from 39% to 43%; the interval is 1.5 points either way.\n- Tablets behave differently and are 6% of the data.\n\nWhat the data cannot say: whether people cooked. Queries are attached below each table.',
      },
      approve,
      { do: 'review', rating: 5, comment: 'Clear about what the data can and cannot show. The queries ran as they were.' },
    ],
  },
  {
    buyer: 'mara',
    service: 'stills',
    brief: 'Ceramic pour-over dripper, matte green. Stone background, morning light from the left, no hands in the picture.',
    answers: { Background: 'Stone' },
    showable: true,
    steps: [
      pay,
      start,
      { do: 'deliver', picture: 'matte green dripper on stone, morning light' },
      { do: 'revision', feedback: 'The green is too blue in three of them. Please match the photo.' },
      { do: 'deliver', picture: 'matte moss green dripper on grey stone, warm light' },
      approve,
      { do: 'review', rating: 4, comment: 'Needed one round for the colour, then spot on.' },
    ],
  },
  {
    buyer: 'jonas',
    service: 'pull-request',
    brief: 'Pull request 418: retries for the queue worker, 310 lines of Go. Look hard at what happens when the lease runs out.',
    showable: true,
    steps: [
      pay,
      {
        do: 'deliver',
        text: '**worker.go:88** A retry that fires after the lease ran out acknowledges a message another worker already has. Reproduce: set the lease to 50 ms and block the handler for 80 ms.\n\n**backoff.go:31** The jitter can be negative for the first attempt.\n\n**worker.go:140** The error of Close is dropped.\n\nVerdict: do not merge before the first is fixed.',
      },
      approve,
      { do: 'review', rating: 5, comment: 'Found the lease bug we had been hunting for a week, with a way to see it.' },
    ],
  },
  {
    buyer: 'jonas',
    service: 'captions',
    brief: 'A 22 minute talk about tide gauges, English with a Scottish accent, second language German. Place names matter.',
    steps: [
      pay,
      start,
      {
        do: 'deliver',
        text: '1\n00:00:01,200 --> 00:00:04,000\nGood morning. This is the gauge at Aberdeen.\n\n2\n00:00:04,300 --> 00:00:07,900\nIt has been read every six minutes since 1862.\n\n(Second file: the same in German. Doubtful: 07:41 "Fittie", 15:02 a unit.)',
      },
      approve,
      { do: 'review', rating: 4, comment: 'Good timing and honest about the two spots it could not hear.' },
    ],
  },
  {
    buyer: 'lea',
    service: 'landing',
    brief: 'A page for a repair cafe that lends tools. People should book a bench, not donate. Warm but not cute.',
    answers: { 'Who reads it': 'Neighbours who own something broken' },
    showable: true,
    steps: [
      pay,
      start,
      {
        do: 'deliver',
        text: '## Variant A: the bench\n\n**Bring it broken. Take it home working.**\nA bench, tools and someone who has done it before, for two hours.\n[Book a bench]\n\n## Variant B: the tool\n\n**The tool you need once.**\n\n## Variant C: the neighbour\n\n**Somebody two streets away knows how.**\n\nI would run A first: it names the thing people get.',
      },
      approve,
      { do: 'review', rating: 5, comment: 'Three different ideas instead of one idea three times.' },
    ],
  },
  {
    buyer: 'lea',
    service: 'contract',
    brief: 'Lease for a workshop, 14 pages, five years. What happens if we want to leave after two, and who pays for the roof?',
    steps: [
      pay,
      {
        do: 'deliver',
        text: 'You promise five years; there is no way out after two unless the landlord agrees (clause 4.2). The roof is yours to keep tight and theirs to replace (9.1 and 9.3), which will be argued about.\n\nAsk before signing: 1. May we sublet? 2. When was the roof last replaced? 3. Who insures it? 4. What is a minor repair? 5. Is the index capped?\n\nHave a lawyer read clause 4.2.',
      },
      approve,
      { do: 'review', rating: 4, comment: 'Plain words as promised. I would have liked page numbers next to the clauses.' },
    ],
  },
  {
    buyer: 'harbour',
    service: 'reconcile',
    brief: 'October payouts from our shop system against the bank export. They differ by 1,204.60 and nobody knows why.',
    steps: [
      pay,
      start,
      {
        do: 'deliver',
        text: 'difference,amount,cause\npayout 2201,-980.00,booked on 1 November\nrefund 7714,-200.00,missing in the shop system\nfees week 43,-24.60,bank charged twice\n\nThe first explains itself, the second needs a person, the third is a letter to the bank.',
      },
      approve,
      { do: 'review', rating: 5, comment: 'All of it found, to the cent.' },
    ],
  },
  {
    buyer: 'harbour',
    service: 'packshot',
    brief: 'A tin of sea salt, 125 g, blue label. White background, label straight, soft shadow.',
    showable: true,
    steps: [
      pay,
      { do: 'deliver', picture: 'blue tin of salt, white, soft shadow' },
      approve,
      { do: 'review', rating: 3, comment: 'Fine for the shop, but the lid looks flatter than ours.' },
    ],
  },
  {
    buyer: 'orchard',
    service: 'nightly',
    brief: 'Every Monday I copy picker hours from three sheets into one and mail it to the accountant.',
    answers: { 'What happens by hand today': 'Copy three sheets into one, add them up, mail the result on Monday.' },
    steps: [
      pay,
      start,
      { do: 'message', words: 'Two of the three sheets changed their column order in August.' },
      { do: 'answer', words: 'Seen. The program goes by the column names and complains when one is missing.' },
      {
        do: 'deliver',
        text: 'The program reads the three sheets on Mondays at 05:30, checks that each picker has a rate, writes one table and mails it. The dry run of October matches your table except for two rows, which are listed.',
      },
      approve,
      { do: 'review', rating: 5, comment: 'It found two wrong rates in October before it had run once.' },
    ],
  },
  {
    buyer: 'orchard',
    service: 'audit',
    brief: 'A nursery with 160 pages, most of them plants. Visitors come for care instructions and leave without seeing the shop.',
    steps: [
      pay,
      start,
      {
        do: 'deliver',
        text: 'Thirty-one care pages compete with their own product pages; join them. Nine pages load 4 MB of pictures. The ten changes in order are below; the first three need a morning.',
      },
      approve,
      { do: 'review', rating: 4, comment: 'Useful order of work. Some findings we knew.' },
    ],
  },
  {
    buyer: 'quarry',
    service: 'scripts',
    brief: 'A knee pad for people who lay stone. Real sites, no studio, no jokes about age.',
    steps: [
      pay,
      start,
      {
        do: 'deliver',
        text: 'Script 1, 28 s. Shot: gravel, knee, hand. "Eleven years of this. I did not think a pad would matter." Hold the pad, press it, let it spring back.\n\nScripts 2 to 5 follow with shot lists.',
      },
      { do: 'revision', feedback: 'Script 4 sounds like an advertisement. Can it be one sentence shorter?' },
      { do: 'deliver', text: 'Scripts 1 to 5 as before; script 4 now ends after "I still have two knees."' },
      approve,
      { do: 'review', rating: 5, comment: 'Our crew could say these without laughing, which is rare.' },
    ],
  },
  {
    buyer: 'quarry',
    service: 'pages',
    brief: 'Ten category pages for natural stone. People search by colour and by where it goes, not by the name of the stone.',
    steps: [
      pay,
      {
        do: 'deliver',
        text: '## Grey paving for wet climates\n\nTitle: Grey paving stone that stays rough in rain\n\n(Pages 2 to 10 follow, with the terms behind each.)',
      },
      approve,
      { do: 'review', rating: 2, comment: 'Two of the ten pages repeat the same paragraph. The others are good.' },
    ],
  },
  {
    buyer: 'lantern',
    service: 'shortlist',
    brief: 'A bicycle lamp that is charged by the wheel. Creators who ride in winter, northern Europe, no race teams.',
    steps: [
      pay,
      start,
      {
        do: 'deliver',
        text: 'name,audience,usual price,last recommended,why not\n1,18k commuters,250,a jacket,posts twice a month\n2,7k cargo riders,120,nothing yet,films on a phone only\n(18 more)\n\nFavourites: 2, 5 and 11, each with a first message.',
      },
      approve,
      { do: 'review', rating: 4, comment: 'The reasons not to pick somebody were the best part.' },
    ],
  },
  {
    buyer: 'lantern',
    service: 'outline',
    brief:
      'We open a second workshop in spring. Write down what has to happen before that: lease, tools, two people to hire, a bench for visitors.',
    steps: [
      { do: 'pay' },
      { do: 'await_delivery' },
      approve,
      { do: 'review', rating: 4, comment: 'Ten seconds, and the open questions were the right ones.' },
    ],
  },
  {
    buyer: 'harbour',
    service: 'poster',
    brief: 'Low tide at the harbour: blue, grey and a little yellow. Calm, wide, not busy.',
    showable: true,
    steps: [{ do: 'pay' }, { do: 'await_delivery' }, approve, { do: 'review', rating: 5, comment: 'It hangs in the office now.' }],
  },
];
