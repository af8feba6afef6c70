// What a user of the client writes: the story that is told in each language (tests/tests/clients/mod.rs).
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"
	"os"
	"reflect"
	"strings"
	"sync"
	"time"

	"muster"
)

var ctx = context.Background()

func caller(prefix, tenant string) *muster.Caller {
	return muster.New(os.Getenv(prefix+"_URL"), os.Getenv(prefix+"_KEY"), os.Getenv(prefix+"_SECRET"), tenant)
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Panic(err)
	}
	return value
}

func check(holds bool, told any) {
	if !holds {
		log.Panicf("%+v", told)
	}
}

func refused(err error) *muster.Error {
	var found *muster.Error
	check(errors.As(err, &found), err)
	return found
}

// Resources, in their three shapes.
func shapes(client *muster.Caller) {
	tags := muster.List(muster.Tag{Name: "env", Value: muster.To("production")})
	inputs := []muster.ResourceInput{
		{HostName: muster.To("web-01"), ResourceType: muster.To("Linux"), Tags: tags},
		{Type: muster.To("EBS"), ResourceName: muster.To("vol-01")},
		{Type: muster.To("SYNTHETIC"), Name: muster.To("front"), URL: muster.To("https://example.net/")},
	}
	var told []string
	for _, input := range inputs {
		made := must(client.CreateResource(ctx, input))
		detail := must(client.GetResource(ctx, made.ResourceUUID))
		switch {
		case detail.DeviceDetail != nil:
			told = append(told, detail.DeviceDetail.GeneralInfo.HostName+" "+*detail.DeviceDetail.Tags[0].Value)
		case detail.CloudDetail != nil:
			cloud := detail.CloudDetail
			recent := must(muster.ParseTime(cloud.CreatedDate)).Year() > 2000
			told = append(told, fmt.Sprint(cloud.Type, " ", cloud.ResourceName, " ", recent))
		case detail.SyntheticDetail != nil:
			told = append(told, detail.SyntheticDetail.URL)
		}
	}
	check(reflect.DeepEqual(told, []string{"web-01 production", "EBS vol-01 true", "https://example.net/"}), told)
}

// A thousand of them, in and out.
func many(client *muster.Caller) {
	var rows []muster.ResourceInput
	for number := 0; number < 1000; number++ {
		rows = append(rows, muster.ResourceInput{
			HostName: muster.To(fmt.Sprintf("bulk-%d", number)), ResourceType: muster.To("Linux"),
		})
	}
	lines := must(client.Bulk(ctx, rows))
	defer lines.Close()
	created, summary := 0, int64(0)
	for lines.Next() {
		if line := lines.Item(); line.BulkSummary != nil {
			summary = line.BulkSummary.Created
		} else if line.BulkResult.Result == "created" {
			created++
		}
	}
	check(lines.Err() == nil && created == 1000 && summary == 1000, lines.Err())
	exported := must(client.Export(ctx, "hostName:bulk-"))
	defer exported.Close()
	count := 0
	for exported.Next() {
		check(strings.HasPrefix(*exported.Item().HostName, "bulk-"), exported.Item())
		count++
	}
	check(exported.Err() == nil && count == 1000, count)
	names := map[string]bool{}
	query := muster.SearchResourcesQuery{QueryString: "hostName:bulk-", PageSize: 100}
	resources := muster.Each(ctx, client.SearchResources, query)
	for resources.Next() {
		names[resources.Item().Name] = true
	}
	check(resources.Err() == nil && len(names) == 1000, len(names))
}

// People, their roster, a window, an incident.
func operations(client *muster.Caller) {
	anna := must(client.CreateUser(ctx, muster.UserInput{
		LoginName: "anna", Email: muster.To("anna@example.net"), Role: muster.To(muster.KeyRoleOperator),
	}))
	schedule := muster.ShiftSchedule{RecurringSchedule: &muster.RecurringSchedule{
		StartDate: "2026-11-20T00:00:00Z", StartTime: "20:00:00", EndTime: "08:00:00",
		Pattern:    muster.ShiftPattern{DailyPattern: &muster.DailyPattern{RepeatFrequency: 1}},
		EndPattern: muster.ShiftEnd{EndNever: &muster.EndNever{}},
	}}
	roster := must(client.CreateRoster(ctx, muster.RosterInput{
		Name: "Nights", Description: "Every night", TimeZone: muster.RosterTimeZoneReference{Name: "Europe/Paris"},
		ShiftDetails: []muster.RosterShiftInput{{
			Name: "Night", Schedule: schedule, Users: muster.List(muster.RosterUserReference{ID: anna.ID}),
			UserGroups: muster.List[muster.RosterUserGroupReference](),
		}},
	}))
	at := time.Date(2026, 11, 25, 3, 0, 0, 0, time.UTC)
	onCall := must(client.GetRosterOnCall(ctx, roster.ID, muster.GetRosterOnCallQuery{At: muster.FormatTime(at)}))
	check(len(onCall.OnCall) == 1 && onCall.OnCall[0].User.LoginName == "anna", onCall)
	check(must(muster.ParseTime(onCall.At)).Equal(at), onCall.At)

	made := must(client.CreateMaintenanceWindow(ctx, muster.MaintenanceWindowInput{
		Name: "Patches", Devices: muster.List(muster.MaintenanceDeviceReference{HostName: muster.To("web-01")}),
		Schedule: muster.MaintenanceSchedule{OneTimeMaintenance: &muster.OneTimeMaintenance{
			StartTime: "2031-11-20T22:00:00Z", EndTime: "2031-11-20T23:30:00Z",
		}},
	}))
	window := must(client.GetMaintenanceWindow(ctx, made.UniqueID))
	check(window.Schedule.OneTimeMaintenance != nil, window)

	incident := must(client.CreateIncident(ctx, muster.IncidentInput{
		Subject: muster.To("Disk is full"), Priority: muster.To("High"),
	}))
	must(client.AddIncidentNote(ctx, incident.ID, muster.IncidentNoteInput{Content: "Looking into it."}))
	closed := must(client.CloseIncident(ctx, incident.ID, muster.IncidentClosing{Note: muster.To("Done.")}))
	check(closed.Status == "Closed" && closed.NoteCount == 2, closed)
}

// What goes wrong, and how that is told.
func problems(client *muster.Caller) {
	id := make([]byte, 16)
	must(rand.Read(id))
	unknown := fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
	_, err := client.GetResource(ctx, unknown)
	check(refused(err).Status == 404 && refused(err).Code() == "0003", err)
	_, err = client.CreateUser(ctx, muster.UserInput{Email: muster.To("nowhere")})
	fields := refused(err).Fields()
	check(refused(err).Status == 400 && len(fields) == 2 && fields["email"] != "" && fields["loginName"] != "", fields)
	site := must(client.CreateSite(ctx, muster.SiteInput{Name: "Paris"}))
	_, err = client.CreateSite(ctx, muster.SiteInput{Name: "Paris"})
	check(refused(err).Status == 409 && refused(err).Code() == "0004", err)
	var read muster.Answer
	must(client.GetSite(ctx, site.ID, muster.Answered(&read)))
	must(client.UpdateSite(ctx, site.ID, muster.SiteUpdate{City: muster.To("Paris")}, muster.IfMatch(read.ETag)))
	_, err = client.UpdateSite(ctx, site.ID, muster.SiteUpdate{City: muster.To("Lyon")}, muster.IfMatch(read.ETag))
	check(refused(err).Status == 412, err)
	check(must(client.GetSite(ctx, site.ID)).City == "Paris", "the city")
	check(client.DeleteSite(ctx, site.ID) == nil, "the site")
}

// A key that may send 20 requests a second: told of it, or patient.
func limited() {
	hasty, patient := caller("LIMITED", "msp_1"), caller("LIMITED", "msp_1")
	hasty.Patience = 0
	must(hasty.GetTenant(ctx))
	together := func(client *muster.Caller) []error {
		var wait sync.WaitGroup
		all := make([]error, 60)
		for number := range all {
			wait.Add(1)
			go func(number int) {
				defer wait.Done()
				_, all[number] = client.GetTenant(ctx)
			}(number)
		}
		wait.Wait()
		return all
	}
	throttled := 0
	for _, err := range together(hasty) {
		if err != nil {
			check(refused(err).Status == 429 && refused(err).RetryAfter >= time.Second, err)
			throttled++
		}
	}
	check(throttled > 0, "nothing was throttled")
	for _, err := range together(patient) {
		check(err == nil, err)
	}
}

// The server is killed meanwhile, and starts again: nothing is lost, and nothing done twice.
func interrupted(client *muster.Caller) {
	fmt.Println("kill")
	for number := 0; number < 60; number++ {
		must(client.CreateIncident(ctx, muster.IncidentInput{Subject: muster.To(fmt.Sprintf("Interrupted %d", number))}))
	}
	found, names := 0, map[string]bool{}
	incidents := muster.Each(ctx, client.SearchIncidents, muster.SearchIncidentsQuery{PageSize: 25})
	for incidents.Next() {
		if subject := incidents.Item().Subject; strings.HasPrefix(subject, "Interrupted ") {
			found++
			names[subject] = true
		}
	}
	check(incidents.Err() == nil && found == 60 && len(names) == 60, found)
}

func main() {
	partner := caller("STORY", "msp_1")
	input := muster.ClientInput{Name: fmt.Sprint("go ", time.Now().UnixNano())}
	tenant := must(partner.CreateClient(ctx, input)).UniqueID
	fmt.Println("tenant", tenant)
	client := caller("STORY", tenant)
	shapes(client)
	many(client)
	operations(client)
	problems(client)
	limited()
	interrupted(client)
	fmt.Println("done")
}
