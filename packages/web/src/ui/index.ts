/** The kit every page is built from. */

export { Amount, BigAmount, PriceTag } from './amount.tsx';
export { useAnnounce } from './announcer.tsx';
export { ApiCalls } from './api-call.tsx';
export { Avatar, Initials } from './avatar.tsx';
export { Button } from './button.tsx';
export { Chart, type ChartDay, type ChartSeries, Sparkline } from './chart.tsx';
export { classNames } from './class-names.ts';
export { Clock, Ruler } from './clock.tsx';
export { CodePanel, CodeTabs } from './code.tsx';
export { composeApiCall } from './compose-api-call.ts';
export { type Column, DataTable } from './data-table.tsx';
export { Dialog } from './dialog.tsx';
export { type Fact, Facts } from './facts.tsx';
export { CheckField, type Choice, type RadioRow, RadioRows, SelectField, TextArea, TextField } from './field.tsx';
export { ChosenFiles, FilePicker } from './file-picker.tsx';
export {
  formatAmount,
  formatBytes,
  formatCount,
  formatDuration,
  formatHours,
  formatTime,
  parseTime,
  shorten,
} from './format.ts';
export { CopyButton, Hash } from './hash.tsx';
export { Light } from './light.tsx';
export { MoneyLine, type MoneyStep } from './money-line.tsx';
export { MoneyPanel } from './money-panel.tsx';
export { More } from './more.tsx';
export { OutsideLink } from './outside-link.tsx';
export { Panel } from './panel.tsx';
export { SplitBar } from './split-bar.tsx';
export { Empty, ErrorState, Loaded, type LoadedProps, NoPermission, NotThere, Partial, SignInButton, Skeleton, Stale } from './states.tsx';
export { StatusChip } from './status-chip.tsx';
export { Sum, type SumLine } from './sum.tsx';
export { Tabs } from './tabs.tsx';
export { Ago, Time } from './time.tsx';
export { Timeline, type TimelineEntry } from './timeline.tsx';
export { useToast } from './toast.tsx';
export { useNow, useVisitor } from './visitor.ts';
