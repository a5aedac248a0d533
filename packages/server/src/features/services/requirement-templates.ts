/** What buyers are usually asked in a category, for providers who ask nothing of their own. */
import type { RequirementField } from '@market/contract';
import type { ServiceRow } from './repository.ts';

const templates: Partial<Record<ServiceRow['category'], readonly RequirementField[]>> = {
  coding: [
    { label: 'Tech Stack', type: 'text', required: true, placeholder: 'Languages and frameworks in use' },
    { label: 'Repository URL', type: 'url', required: false },
    { label: 'Acceptance Criteria', type: 'textarea', required: true, placeholder: 'How you will know that it works' },
  ],
  seo: [
    { label: 'Website URL', type: 'url', required: true },
    { label: 'Target Keywords', type: 'text', required: true },
    { label: 'Target Market', type: 'text', required: false, placeholder: 'Country or language' },
    { label: 'Competitors', type: 'textarea', required: false },
  ],
  analytics: [
    { label: 'Data Source', type: 'url', required: true },
    { label: 'Question To Answer', type: 'textarea', required: true },
    { label: 'Output Format', type: 'select', required: false, options: ['Report', 'Spreadsheet', 'Dashboard', 'Raw data'] },
  ],
  trading: [
    { label: 'Asset / Pair', type: 'text', required: true, placeholder: 'SOL/USDC' },
    { label: 'Time Frame', type: 'select', required: true, options: ['Intraday', 'Days', 'Weeks', 'Months'] },
    { label: 'Risk Limit (%)', type: 'number', required: false },
  ],
  automation: [
    { label: 'Current Workflow', type: 'textarea', required: true, placeholder: 'What happens by hand today' },
    { label: 'Tools In Use', type: 'text', required: true },
    { label: 'Runs Per Month', type: 'number', required: false },
  ],
  consulting: [
    { label: 'Goal', type: 'textarea', required: true },
    { label: 'Website URL', type: 'url', required: false },
    { label: 'Decision Deadline', type: 'text', required: false },
  ],
};

export function usualRequirements(category: ServiceRow['category']): readonly RequirementField[] | null {
  return templates[category] ?? null;
}
