/**
 * What a client may do that only watches: it sees pages, requests and messages, and changes none of them. Whatever is
 * not named here may change something.
 */

const ENABLED = [
  "Accessibility",
  "CSS",
  "DOM",
  "Inspector",
  "Log",
  "Network",
  "Page",
  "Performance",
  "Runtime",
  "Security",
];

export const OBSERVING_METHODS: readonly string[] = [
  ...ENABLED.flatMap((domain) => [`${domain}.enable`, `${domain}.disable`]),
  "Accessibility.getFullAXTree",
  "Accessibility.getPartialAXTree",
  "Browser.getVersion",
  "CSS.getComputedStyleForNode",
  "CSS.getMatchedStylesForNode",
  "DOM.describeNode",
  "DOM.getBoxModel",
  "DOM.getDocument",
  "DOM.getOuterHTML",
  "DOM.querySelector",
  "DOM.querySelectorAll",
  "DOM.requestChildNodes",
  "DOMSnapshot.captureSnapshot",
  "Network.getResponseBody",
  "Page.captureScreenshot",
  "Page.getFrameTree",
  "Page.getLayoutMetrics",
  "Page.getNavigationHistory",
  "Page.screencastFrameAck",
  "Page.startScreencast",
  "Page.stopScreencast",
  "Performance.getMetrics",
  "Runtime.getHeapUsage",
  "Schema.getDomains",
  "Target.attachToTarget",
  "Target.detachFromTarget",
  "Target.getBrowserContexts",
  "Target.getTargetInfo",
  "Target.getTargets",
  "Target.setAutoAttach",
  "Target.setDiscoverTargets",
];
