import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.muster.Answer;
import net.muster.Muster;
import net.muster.MusterException;
import net.muster.Times;
import net.muster.api.Incidents;
import net.muster.api.MaintenanceWindows;
import net.muster.api.Resources;
import net.muster.api.Rosters;
import net.muster.api.Sites;
import net.muster.api.Tenants;
import net.muster.api.Users;
import net.muster.model.*;

/** What a user of the client writes: the story that is told in each language (tests/tests/clients/mod.rs). */
public final class Story {
    private final Muster muster;
    private final Resources resources;

    private Story(Muster muster) {
        this.muster = muster;
        this.resources = new Resources(muster);
    }

    public static void main(String[] arguments) {
        Muster partner = caller("STORY", "msp_1", Duration.ofMinutes(1));
        ClientInput input = new ClientInput().name("java " + System.nanoTime());
        String tenant = new Tenants(partner).createClient(input).getUniqueId();
        System.out.println("tenant " + tenant);
        Story story = new Story(caller("STORY", tenant, Duration.ofMinutes(1)));
        story.shapes();
        story.many();
        story.operations();
        story.problems();
        limited();
        story.interrupted();
        System.out.println("done");
    }

    private static Muster caller(String prefix, String tenant, Duration patience) {
        String url = System.getenv(prefix + "_URL");
        return new Muster(url, System.getenv(prefix + "_KEY"), System.getenv(prefix + "_SECRET"), tenant, patience);
    }

    private static void check(boolean holds, Object told) {
        if (!holds) throw new AssertionError(told);
    }

    private static MusterException refused(Runnable call) {
        try {
            call.run();
        } catch (MusterException error) {
            return error;
        }
        throw new AssertionError("it was not refused");
    }

    /** Resources, in their three shapes. */
    private void shapes() {
        ResourceInput device = new ResourceInput().hostName("web-01").resourceType("Linux")
            .tags(List.of(new Tag().name("env").value("production")));
        ResourceInput cloud = new ResourceInput().type("EBS").resourceName("vol-01");
        ResourceInput synthetic = new ResourceInput().type("SYNTHETIC").name("front").url("https://example.net/");
        List<String> told = new ArrayList<>();
        for (ResourceInput input : List.of(device, cloud, synthetic)) {
            ResourceDetail detail = resources.getResource(resources.createResource(input).getResourceUUID());
            if (detail instanceof DeviceDetail found) {
                told.add(found.getGeneralInfo().getHostName() + " " + found.getTags().get(0).getValue());
            } else if (detail instanceof CloudDetail found) {
                boolean recent = Times.parse(found.getCreatedDate()).isAfter(Instant.EPOCH);
                told.add(found.getType() + " " + found.getResourceName() + " " + recent);
            } else if (detail instanceof SyntheticDetail found) {
                told.add(found.getUrl());
            }
        }
        check(told.equals(List.of("web-01 production", "EBS vol-01 true", "https://example.net/")), told);
    }

    /** A thousand of them, in and out. */
    private void many() {
        List<ResourceInput> rows = IntStream.range(0, 1000)
            .mapToObj(number -> new ResourceInput().hostName("bulk-" + number).resourceType("Linux")).toList();
        try (Stream<BulkLine> lines = muster.bulk(rows)) {
            long created = 0;
            for (BulkLine line : (Iterable<BulkLine>) lines::iterator) {
                if (line instanceof BulkSummary summary) check(summary.getCreated() == created, summary.getCreated());
                else created += 1;
            }
            check(created == 1000, created);
        }
        try (Stream<ResourceInput> exported = muster.export("hostName:bulk-")) {
            long count = exported.filter(one -> one.getHostName().startsWith("bulk-")).count();
            check(count == 1000, count);
        }
        Set<String> names = new HashSet<>();
        var asked = new Resources.SearchResources().queryString("hostName:bulk-").pageSize(100L);
        for (MinimalResource one : muster.each(resources::searchResources, asked)) names.add(one.getName());
        check(names.size() == 1000, names.size());
    }

    /** People, their roster, a window, an incident. */
    private void operations() {
        User anna = new Users(muster).createUser(
            new UserInput().loginName("anna").email("anna@example.net").role(KeyRole.OPERATOR));
        ShiftSchedule nightly = new RecurringSchedule()
            .startDate("2026-11-20T00:00:00Z").startTime("20:00:00").endTime("08:00:00")
            .pattern(new DailyPattern().repeatFrequency(1L)).endPattern(new EndNever());
        RosterShiftInput night = new RosterShiftInput().name("Night").schedule(nightly)
            .users(List.of(new RosterUserReference().id(anna.getId()))).userGroups(List.of());
        Rosters rosters = new Rosters(muster);
        Roster roster = rosters.createRoster(new RosterInput().name("Nights").description("Every night")
            .timeZone(new RosterTimeZoneReference().name("Europe/Paris")).shiftDetails(List.of(night)));
        Instant at = Instant.parse("2026-11-25T03:00:00Z");
        OnCall onCall = rosters.getRosterOnCall(roster.getId(), new Rosters.GetRosterOnCall().at(Times.format(at)));
        List<String> names = onCall.getOnCall().stream().map(entry -> entry.getUser().getLoginName()).toList();
        check(names.equals(List.of("anna")), names);
        check(Times.parse(onCall.getAt()).equals(at), onCall.getAt());

        MaintenanceWindows maintenance = new MaintenanceWindows(muster);
        MaintenanceSchedule once = new OneTimeMaintenance().startTime("2031-11-20T22:00:00Z").endTime("2031-11-20T23:30:00Z");
        String window = maintenance.createMaintenanceWindow(new MaintenanceWindowInput().name("Patches").schedule(once)
            .devices(List.of(new MaintenanceDeviceReference().hostName("web-01")))).getUniqueId();
        MaintenanceSchedule stored = maintenance.getMaintenanceWindow(window).getSchedule();
        check(stored instanceof OneTimeMaintenance, stored);

        Incidents incidents = new Incidents(muster);
        Incident incident = incidents.createIncident(new IncidentInput().subject("Disk is full").priority("High"));
        incidents.addIncidentNote(incident.getId(), new IncidentNoteInput().content("Looking into it."));
        Incident closed = incidents.closeIncident(incident.getId(), new IncidentClosing().note("Done."));
        check(closed.getStatus().equals("Closed") && closed.getNoteCount() == 2, closed.getNoteCount());
    }

    /** What goes wrong, and how that is told. */
    private void problems() {
        MusterException missing = refused(() -> resources.getResource(UUID.randomUUID().toString()));
        check(missing.status() == 404 && missing.code().equals("0003"), missing);
        Users users = new Users(muster);
        MusterException invalid = refused(() -> users.createUser(new UserInput().loginName("").email("nowhere")));
        check(invalid.status() == 400 && invalid.fields().keySet().equals(Set.of("email", "loginName")), invalid.fields());
        Sites sites = new Sites(muster);
        Long id = sites.createSite(new SiteInput().name("Paris")).getId();
        MusterException taken = refused(() -> sites.createSite(new SiteInput().name("Paris")));
        check(taken.status() == 409 && taken.code().equals("0004"), taken);
        Answer<Site> read = muster.answer(() -> sites.getSite(id));
        Sites.UpdateSite condition = new Sites.UpdateSite().ifMatch(read.etag());
        sites.updateSite(id, new SiteUpdate().city("Paris"), condition);
        MusterException late = refused(() -> sites.updateSite(id, new SiteUpdate().city("Lyon"), condition));
        check(late.status() == 412, late);
        check(sites.getSite(id).getCity().equals("Paris"), "the city");
        sites.deleteSite(id);
    }

    /** A key that may send 20 requests a second: told of it, or patient. */
    private static void limited() {
        Tenants hasty = new Tenants(caller("LIMITED", "msp_1", Duration.ZERO));
        Tenants patient = new Tenants(caller("LIMITED", "msp_1", Duration.ofMinutes(1)));
        hasty.getTenant();
        var refusals = new ConcurrentLinkedQueue<MusterException>();
        IntStream.range(0, 60).parallel().forEach(number -> {
            try {
                hasty.getTenant();
            } catch (MusterException error) {
                refusals.add(error);
            }
        });
        check(!refusals.isEmpty() && refusals.peek().status() == 429 && refusals.peek().retryAfter() >= 1, refusals);
        IntStream.range(0, 60).parallel().forEach(number -> patient.getTenant());
    }

    /** The server is killed meanwhile, and starts again: nothing is lost, and nothing done twice. */
    private void interrupted() {
        System.out.println("kill");
        Incidents incidents = new Incidents(muster);
        for (int number = 0; number < 60; number++) {
            incidents.createIncident(new IncidentInput().subject("Interrupted " + number));
        }
        List<String> subjects = new ArrayList<>();
        var asked = new Incidents.SearchIncidents().pageSize(25L);
        for (Incident one : muster.each(incidents::searchIncidents, asked)) {
            if (one.getSubject().startsWith("Interrupted ")) subjects.add(one.getSubject());
        }
        check(subjects.size() == 60 && new HashSet<>(subjects).size() == 60, subjects.size());
    }
}
