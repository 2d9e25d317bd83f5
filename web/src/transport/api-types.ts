/** What the server's API takes and gives, as the server describes it. Times are ISO-8601 in UTC, money is a decimal string. */

import type { Attachment, WireEvent } from "../events";
import type * as api from "./generated-api";

export type {
  AgentFace,
  AgentView as Agent,
  ApprovalList,
  ApprovalView as Approval,
  BoardList,
  BoardView as Board,
  BoardWithTiles,
  CitedSource,
  CompanyList,
  CompanyView as Company,
  DatasetHead,
  DatasetList,
  DatasetRows,
  Decided,
  FoundMessage,
  KeyList,
  KeyView as ApiKey,
  Meta,
  NewKeyView as NewApiKey,
  Preferences as Settings,
  RecordView as ErpRecord,
  SearchResults,
  SessionPage,
  SessionSummary,
  SessionUsage,
  Team as Agents,
  TileView as Tile,
  TimelineEntry,
  TurnTimeline as Timeline,
} from "./generated-api";

export type SessionStatus = api.SessionSummary["status"];

/** Who is signed in; the preferences travel with them. */
export type Me = Omit<api.Me, "settings"> & { readonly settings: api.Preferences };

/** Some events, in order; what an event holds is in the catalogue. */
export type EventPage = Omit<api.EventPage, "items"> & { readonly items: readonly WireEvent[] };

/** What an agent or a model used. */
export type UsageShare = Omit<api.AgentShare, "agent_id"> & {
  readonly agent_id?: api.AgentShare["agent_id"];
  readonly model?: api.ModelShare["model"];
};

/** The conversation around a request, to read. */
export type ApprovalContext = Omit<api.ApprovalContext, "events"> & { readonly events: readonly WireEvent[] };

export type Decision = api.DecisionRequest;

/** A message of this client. */
export type OutgoingMessage = api.NewMessage & { readonly attachments: readonly Attachment[] };
